// The first board: that of the game in the address, empty, before anything else has loaded. It stays if
// nothing loads at all, with a word about that. No module, so that it waits for none.

"use strict";

{
  const find = (id) => document.getElementById(id);
  const make = (name, ...children) => {
    const element = document.createElement("div");
    element.className = name;
    element.append(...children);
    return element;
  };

  const show = ({ columns, rows, look, grounds, edges }) => {
    const cell = (index) => {
      const shade = (Math.floor(index / columns) + index % columns) % 2 ? "dark" : "light";
      const disc = document.createElement("span");
      disc.className = "disc";
      return make(`cell ${shade} ${["open", "dead", "first", "second"][grounds[index]]}`, disc);
    };
    const row = (number) => make("row", ...Array.from({ length: columns }, (_, at) => cell(number * columns + at)));
    const grid = make(look, ...Array.from({ length: rows }, (_, number) => row(number)));
    grid.id = "grid";
    const edge = (name) => make(`edge ${name}`, ...edges[name].map((text) => {
      const label = document.createElement("span");
      label.textContent = text;
      return label;
    }));
    const named = ["top", "left", "right", "bottom"].filter((name) => edges[name].length);
    const board = find("board");
    document.documentElement.style.setProperty("--columns", columns);
    document.documentElement.style.setProperty("--rows", rows);
    board.className = [look, ...named.map((name) => `with-${name}`)].join(" ");
    board.append(...named.map(edge), make("field", grid));
  };

  const boards = JSON.parse(find("boards").textContent);
  const last = () => {
    try {
      return JSON.parse(localStorage.getItem("plyground.last"));
    } catch {
      return null;
    }
  };
  const isPlain = location.hash.length < 2;
  const named = isPlain ? last() : new URLSearchParams(location.hash.slice(1)).get("game");
  const known = boards.find(({ name }) => name === named);
  const board = named === null || isPlain ? known ?? boards[0] : known;
  if (board) {
    board.fills.forEach((fill, side) => document.documentElement.style.setProperty(`--fill${side}`, fill));
    if (!find("board").firstChild) show(board);
  }

  // A module that does not arrive says nothing itself.
  const failed = () => {
    if (!document.body.classList.contains("loading")) return;
    find("status").textContent = "The page has not loaded whole: the network failed, or the server has ended.";
    find("status").classList.add("error");
    find("retry").hidden = false;
    find("retry").onclick = () => location.reload();
  };
  document.querySelector("script[type=module]").addEventListener("error", failed);
}
