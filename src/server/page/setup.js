// A position set up piece by piece. Whether it is one, the server says.

import * as api from "./api.js";
import { board, draw } from "./board.js";
import { $, h, say } from "./dom.js";
import { begin, fail, game } from "./game.js";

let cells = [];
let turn = 0;
/** What a click puts down: a side, or `null` to clear. */
let brush = 0;
let parts = null;
let checked = 0;

export const isSettingUp = () => board.editor !== null;

export function startSetup(follow) {
  cells = [...game.view.cells];
  turn = game.view.side;
  build(() => stop(follow), follow);
  board.editor = place;
  board.edited = cells;
  $("setup-panel").hidden = false;
  document.body.classList.add("setting-up");
  update();
  draw();
  follow();
}

function stop(follow) {
  board.editor = null;
  board.edited = null;
  $("setup-panel").hidden = true;
  document.body.classList.remove("setting-up");
  draw();
  follow();
}

function build(close) {
  const { layout, sides } = game.about;
  const radio = (name, value, text, checkedNow, change) => h("label", {},
    h("input", { type: "radio", name, value, checked: checkedNow, onchange: change }), " ", text);
  const brushes = h("fieldset", {}, h("legend", { text: "A click puts" }),
    ...[0, 1].map((side) => radio("brush", side, layout.pieces[side].name, side === 0, () => { brush = side; })),
    radio("brush", "", "nothing", false, () => { brush = null; }));
  brush = 0;
  const turns = h("fieldset", {}, h("legend", { text: "To move" }),
    ...[0, 1].map((side) => radio("turn", side, sides[side], side === turn, () => { turn = side; update(); })));
  const text = h("textarea", { rows: layout.rows + 1, spellcheck: "false", "aria-label": "The position as a state file" });
  const error = h("p", { class: "error", role: "alert" });
  const done = h("button", { class: "primary", text: "Done" });
  const clear = h("button", { text: "Clear the board" });
  const cancel = h("button", { text: "Cancel", onclick: close });
  text.addEventListener("input", () => check(text.value, true));
  clear.addEventListener("click", () => { cells.fill(null); update(); draw(); });
  done.addEventListener("click", async () => {
    try {
      const { games: [{ rules, start }] } = await api.open(game.line.rules, text.value);
      close();
      await begin({ rules, start, moves: [] }, { paused: true });
    } catch (problem) {
      say(error, problem.message);
    }
  });
  parts = { text, error, done, turns };
  $("setup-panel").replaceChildren(h("h2", { text: "Set up a position" }), brushes, turns,
    h("label", {}, "State file ", text), error, h("div", { class: "buttons" }, clear, cancel, done));
}

function place(index) {
  const { layout } = game.about;
  if (layout.falls) {
    const column = cells.map((_, cell) => cell).filter((cell) => cell % layout.columns === index % layout.columns);
    const empty = column.filter((cell) => cells[cell] === null);
    if (brush === null) {
      const top = column[empty.length];
      if (top !== undefined) cells[top] = null;
    } else if (empty.length) {
      cells[empty.at(-1)] = brush;
    }
  } else {
    cells[index] = cells[index] === brush ? null : brush;
  }
  update();
  draw();
}

/** Writes the cells as a state file. */
function update() {
  const { layout } = game.about;
  const symbol = (owner) => (owner === null ? layout.empty_symbol : layout.pieces[owner].symbol);
  const rows = Array.from({ length: layout.rows }, (_, row) =>
    cells.slice(row * layout.columns, (row + 1) * layout.columns).map(symbol).join(""));
  parts.text.value = [...rows, layout.pieces[turn].turn_symbol].join("\n");
  check(parts.text.value, false);
}

/** Asks whether this is a position; one that was typed is shown. */
async function check(text, typed) {
  checked += 1;
  const mine = checked;
  try {
    const { games: [line] } = await api.open(game.line.rules, text);
    const view = await api.position({ rules: line.rules, start: line.start, moves: line.moves });
    if (mine !== checked) return;
    say(parts.error, view.doubt ? `Possible, but not from a game: ${view.doubt}.` : "");
    parts.done.disabled = false;
    if (typed && board.editor) {
      cells.splice(0, cells.length, ...view.cells);
      turn = view.side;
      parts.turns.querySelector(`[value="${turn}"]`).checked = true;
      draw();
    }
  } catch (error) {
    if (mine !== checked) return;
    say(parts.error, error.message);
    parts.done.disabled = true;
    if (error.name === "TypeError") fail(error);
  }
}
