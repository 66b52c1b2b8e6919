// A position set up piece by piece. Whether it is one, the server says.

import * as api from "./api.js";
import { board, draw } from "./board.js";
import { $, h, say } from "./dom.js";
import { begin, fail, game, SIDES } from "./game.js";

/** The owner of the piece in each cell, and the symbols of the cells at first. */
let cells = [];
let symbols = [];
let turn = 0;
/** What a click puts down: the piece of an owner, or `null` to clear. */
let brush = null;
let parts = null;
let checked = 0;

export const isSettingUp = () => board.editor !== null;

export function startSetup(follow) {
  cells = [...game.view.cells];
  symbols = symbolsOf(game.view);
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
    ...SIDES.map((owner, side) => radio("brush", owner, layout.pieces[side].name, side === 0, () => { brush = owner; })),
    radio("brush", "", "nothing", false, () => { brush = null; }));
  [brush] = SIDES;
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
      const { games: [{ game: name, rules, start }] } = await api.open(game.line, text.value);
      close();
      await begin({ game: name, rules, start, moves: [] }, { paused: true });
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

/** The symbols of the cells in the state file of a position. */
const symbolsOf = ({ state }) => [...state.replace(/\s/g, "")];

/** Writes the cells as a state file. A neutral piece, which no click puts down, keeps its symbol. */
function update() {
  const { layout } = game.about;
  const piece = (owner) => layout.pieces[SIDES.indexOf(owner)]?.symbol;
  const all = cells.map((owner, cell) => (owner === null ? layout.empty_symbol : piece(owner) ?? symbols[cell]));
  const rows = Array.from({ length: layout.rows }, (_, row) =>
    all.slice(row * layout.columns, (row + 1) * layout.columns).join(""));
  parts.text.value = [...rows, layout.pieces[turn].turn_symbol].join("\n");
  check(parts.text.value, false);
}

/** Asks whether this is a position; one that was typed is shown. */
async function check(text, typed) {
  checked += 1;
  const mine = checked;
  try {
    const { games: [{ game: name, rules, start, moves }] } = await api.open(game.line, text);
    const view = await api.position({ game: name, rules, start, moves });
    if (mine !== checked) return;
    say(parts.error, view.doubt ? `Possible, but not from a game: ${view.doubt}.` : "");
    parts.done.disabled = false;
    if (typed && board.editor) {
      cells.splice(0, cells.length, ...view.cells);
      symbols = symbolsOf(view);
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
