// The board: a grid of cells that one clicks, drags from, or reaches with the arrow keys.

import { $, h, s, say } from "./dom.js";
import { fail, game, isHeld, isMachinesTurn, isOver, passMove, play, RESIGNED, resignedHere, SIDES, trial, viewAt } from "./game.js";
import { cellName, edges, written } from "./notation.js";
import { spoken } from "./scores.js";
import { strokesOf, threatsOf, variationOf } from "./strokes.js";
import { zoneLabels } from "./tree-board.js";

const GROUNDS = ["open", "dead", "first", "second"];

export const board = {
  /** What is known of each move: its value, its rank, whether it is best, and the line of play. */
  values: new Map(),
  showValues: true,
  showLines: true,
  /** What handles clicks instead of the game, if anything does: a function of the cell. */
  editor: null,
  /** Cells that the editor shows in place of the position's. */
  edited: null,
  /** Whether the second side sits below. */
  flipped: false,
};

let cells = [];
let overlay = null;
let layout = null;
/** The cell that the keyboard is at. */
let current = 0;
/** The cell of the piece that is about to move, and what may then be said of all cells. */
let from = null;
let fromReasons = null;
let pointed = null;
let variation = null;
let dragged = null;

/** Whether the cells are in the opposite order: a board in which pieces fall cannot be turned. */
const isTurned = () => board.flipped && !layout.falls;

/** Builds the board anew. */
export function build(newLayout) {
  layout = newLayout;
  from = null;
  current = 0;
  cells = Array.from({ length: layout.rows * layout.columns }, (_, index) => {
    const shade = (Math.floor(index / layout.columns) + index % layout.columns) % 2 ? "dark" : "light";
    return h("div", {
      role: "gridcell", class: `cell ${shade}`, tabindex: index ? -1 : 0, "data-cell": index,
    }, h("span", { class: "disc" }), h("span", { class: "label", "aria-hidden": "true" }), h("span", { class: "value", "aria-hidden": "true" }));
  });
  const turned = (list) => (isTurned() ? list.toReversed() : list);
  const order = turned(cells);
  const rows = Array.from({ length: layout.rows }, (_, row) =>
    h("div", { role: "row", class: "row" }, ...order.slice(row * layout.columns, (row + 1) * layout.columns)));
  const whole = $("board");
  const viewBox = `0 0 ${layout.columns} ${layout.rows}`;
  overlay = s("svg", { class: "overlay", viewBox, "aria-hidden": "true" });
  const zones = s("svg", { class: "zones", viewBox, "aria-hidden": "true" }, ...zoneLabels({ ...layout, turned: isTurned() }));
  const grid = h("div", { role: "grid", id: "grid", "aria-label": "Board", class: layout.look + (layout.hatched ? " hatched" : "") }, ...rows);
  const shownEdges = edges(layout);
  const edge = (name) => h("div", { class: `edge ${name}`, "aria-hidden": "true" },
    ...turned(shownEdges[name]).map((text) => h("span", { text })));
  const field = h("div", { class: "field" }, grid, zones, overlay);
  const { style } = document.documentElement;
  style.setProperty("--columns", layout.columns);
  style.setProperty("--rows", layout.rows);
  layout.pieces.forEach((piece, side) => {
    style.setProperty(`--fill${side}`, piece.fill);
    style.setProperty(`--mark${side}`, piece.mark);
  });
  const named = ["top", "left", "right", "bottom"].filter((name) => shownEdges[name].length);
  whole.className = [layout.look, ...named.map((name) => `with-${name}`)].join(" ");
  whole.replaceChildren(...named.map(edge), field);
  listen(grid);
}

const THINKING = "The machine is thinking. Take back, or wait for its move.";
const HELD = "This turn has been played. To play another move, press “Continue from here” first.";

/** What keeps a person from moving here, if anything does. */
export function obstacle() {
  if (resignedHere() !== null) return RESIGNED;
  if (isMachinesTurn()) return THINKING;
  return isHeld() && !trial.judge ? HELD : "";
}

/** What there is to choose where a move is two choices: a piece, and then a place for it. */
export function prompt() {
  const { moves, side, played } = game.view;
  if (obstacle() || board.editor || !moves.some((move) => move.from !== null)) return "";
  const { name } = layout.pieces[side];
  if (from !== null) return `The ${name} on ${cellName(layout, from)}: choose its new place.`;
  if (!mustStep()) return "";
  const wasPlaced = played.some((move) => move.side === side && move.from === null && !move.pass);
  return wasPlaced ? `Every ${name} is on the board: choose one to move.` : `Choose a ${name} to move.`;
}

/** Whether a piece is to be chosen first. */
const mustStep = () => game.view.moves.length > 0 && game.view.moves.every((move) => move.from !== null || move.pass);

const cellsShown = () => board.edited ?? game.view.cells;

/** The legal moves that begin by choosing this cell, or end by it once a piece is chosen. */
function movesAt(index) {
  if (resignedHere() !== null) return [];
  if (from !== null) {
    return game.view.moves.filter((move) => move.from === from && move.to === index);
  }
  if (layout.falls) {
    return game.view.moves.filter((move) => !move.pass && move.to % layout.columns === index % layout.columns);
  }
  return game.view.moves.filter((move) => (move.from ?? move.to) === index);
}

function reasonAt(index) {
  if (isOver()) return undefined;
  return (from === null ? game.view.reasons : fromReasons ?? {})[index];
}

/** Shows the position that is looked at. */
export function draw() {
  if (from !== null && !game.view.moves.some((move) => move.from === from)) from = null;
  const shown = cellsShown();
  const grounds = game.view.grounds ?? layout.grounds;
  const labels = board.edited ? [] : game.view.labels ?? [];
  const last = game.view.played.at(-1);
  // Where a piece may not go is a question once there is one.
  const isPlace = from !== null || !mustStep();
  cells.forEach((cell, index) => {
    const owner = shown[index];
    const state = cell.classList;
    SIDES.forEach((name, side) => state.toggle(`side${side}`, owner === name));
    state.toggle("neutral", owner === "neutral");
    for (const ground of GROUNDS) state.toggle(ground, grounds[index] === ground);
    const editing = board.editor !== null;
    const moves = editing ? [] : movesAt(index);
    state.toggle("choice", moves.length > 0);
    state.toggle("chosen", from === index);
    state.toggle("last", !editing && last?.to === index);
    state.toggle("left", !editing && last?.from === index);
    const blocked = isPlace && !editing && owner === null && !moves.length && reasonAt(index) !== undefined && !layout.falls;
    state.toggle("blocked", blocked && grounds[index] !== "dead");
    const value = editing ? undefined : valueAt(index);
    const [, label, number] = cell.children;
    say(label, labels[index] ?? "");
    state.toggle("labelled", Boolean(labels[index]));
    say(number, value && board.showValues ? value.short : "");
    number.className = `value ${value?.bound ?? ""}${value?.best ? " best" : ""}${value?.short.length > 4 ? " long" : ""}`;
    cell.setAttribute("aria-label", describe(index, owner, labels[index], moves, value));
    if (!editing && blocked) cell.title = written(layout, reasonAt(index));
    else cell.removeAttribute("title");
  });
  $("board").classList.toggle("with-values", board.showValues && board.values.size > 0 && !board.editor);
  drawPass();
  drawOverlay();
}

/** Shows the button for a pass where a person may pass: it has no cell to click. */
export function drawPass() {
  const move = board.editor || isMachinesTurn() || isOver() ? undefined : passMove();
  const value = move && board.showValues ? board.values.get(move.move) : undefined;
  const button = $("pass");
  const hadFocus = document.activeElement === button;
  button.hidden = !move;
  say(button, value ? `Pass ${value.short}` : "Pass");
  button.title = value ? `P: ${spoken(value)}` : "P";
  if (hadFocus && !move) cells[current].focus();
}

/** Passes, if the rules allow it now. */
export async function pass() {
  if (obstacle()) return say($("hint"), obstacle());
  const move = passMove();
  if (!move) return say($("hint"), "Nobody may pass now.");
  from = null;
  await play(move.move);
}

function valueAt(index) {
  const key = (move) => board.values.get(move.move);
  const found = movesAt(index).filter((move) => layout.falls ? move.to === index : true).map(key).filter(Boolean);
  return found[0] && found.reduce((best, value) => (value.rank < best.rank ? value : best));
}

function describe(index, owner, label, moves, value) {
  const parts = [cellName(layout, index)];
  const side = SIDES.indexOf(owner);
  parts.push(owner === null ? "empty" : side < 0 ? "neutral piece" : layout.pieces[side].name);
  if (label) parts.push(label);
  if (from === index) parts.push("about to move");
  const reason = board.editor ? undefined : reasonAt(index);
  if (!moves.length && reason && owner === null) parts.push(`not allowed: ${written(layout, reason)}`);
  parts.push(...threatsHere().filter((threat) => threat.cell === index).map(threatened));
  // As it is written in the cell, for people who speak to their computer, and in words.
  if (value) parts.push(`value ${value.short}`, spoken(value));
  return parts.join(", ");
}

function drawOverlay() {
  const shownLayout = { ...layout, turned: isTurned() };
  const strokes = board.edited ? [] : strokesOf(shownLayout, game.view, board.showLines, pointed);
  const shown = variation ?? (pointed === null || board.editor ? null : valueAt(pointed)?.pv) ?? [];
  const steps = variationOf(shownLayout, shown);
  const threats = board.edited ? [] : threatsOf(shownLayout, threatsHere());
  overlay.replaceChildren(...strokes, ...threats, ...steps.elements);
  cells.forEach((cell, index) => cell.classList.toggle("covered", steps.cells.has(index)));
}

/** Shows a line of play on the board, or none. */
export function showVariation(steps) {
  variation = steps;
  drawOverlay();
}

function point(index) {
  if (pointed === index) return;
  pointed = index;
  const column = layout.falls && index !== null ? index % layout.columns : null;
  cells.forEach((cell, other) => cell.classList.toggle("pointed", column !== null && other % layout.columns === column));
  if (column !== null) {
    // Any cell of a column stands for the one in which the piece lands.
    const landing = movesAt(index)[0];
    if (landing) pointed = landing.to;
  }
  const reason = index === null || board.editor ? undefined : reasonAt(index);
  const said = reason && !movesAt(index).length ? [why(index, reason)] : [];
  said.push(...threatsHere().filter((threat) => threat.cell === pointed).map(threatened));
  say($("hint"), said.join("; ") || prompt());
  drawOverlay();
}

/** What the sides threaten: a value of moves, which some servers keep to themselves. */
const threatsHere = () =>
  (board.showLines && game.about.analysis && !isOver() && !board.editor ? game.view.threats ?? [] : []);

const threatened = ({ side }) => `${game.about.sides[side]} would win here at once`;

/** Why a cell is no choice, after its name unless the reason begins with that. */
function why(index, reason) {
  const [name, text] = [cellName(layout, index), written(layout, reason)];
  return text.startsWith(`${name} `) ? text : `${name}: ${text}`;
}

/** Chooses a cell: makes its move, or picks up its piece. */
async function choose(index) {
  if (board.editor) return board.editor(index);
  if (obstacle()) return say($("hint"), obstacle());
  const moves = movesAt(index);
  try {
    if (from !== null && !moves.length) {
      // Another piece of the same side, or the same again to put it down.
      const others = game.view.moves.some((move) => move.from === index);
      if (others) return await pickUp(index === from ? null : index);
      fromReasons ??= (await viewAt(game.ply, from)).reasons;
      return say($("hint"), why(index, reasonAt(index) ?? "not a place for this piece"));
    }
    if (!moves.length) {
      const reason = reasonAt(index) ?? (game.view.over ? "the game is over" : "not possible now");
      return say($("hint"), why(index, reason));
    }
    if (from === null && moves[0].from !== null) return await pickUp(index);
    from = null;
    say($("hint"), "");
    await play(moves[0].move);
  } catch (error) {
    fail(error);
  }
}

async function pickUp(index) {
  from = index;
  fromReasons = null;
  draw();
  say($("hint"), prompt());
  if (from === null) return;
  const view = await viewAt(game.ply, from);
  if (from !== index) return;
  fromReasons = view.reasons;
  draw();
}

/** Puts down the piece that is about to move. */
export function putDown() {
  if (from === null) return false;
  from = null;
  draw();
  say($("hint"), prompt());
  return true;
}

const cellOf = (target) => {
  const cell = target?.closest?.("[data-cell]");
  return cell ? Number(cell.dataset.cell) : null;
};

function listen(grid) {
  grid.addEventListener("click", (event) => {
    const index = cellOf(event.target);
    if (index !== null && dragged === null) choose(index);
    dragged = null;
  });
  grid.addEventListener("pointerover", (event) => point(cellOf(event.target)));
  grid.addEventListener("pointerleave", () => point(null));
  grid.addEventListener("focusin", (event) => {
    current = cellOf(event.target) ?? current;
    if (event.target.matches(":focus-visible")) point(current);
  });
  grid.addEventListener("focusout", () => point(null));
  grid.addEventListener("keydown", onKey);
  listenToDrags(grid);
}

function listenToDrags(grid) {
  let begun = null;
  grid.addEventListener("pointerdown", (event) => {
    const index = cellOf(event.target);
    const movable = index !== null && !board.editor && !obstacle() && game.view.moves.some((move) => move.from === index);
    begun = movable && event.isPrimary && event.button === 0 ? index : null;
    dragged = null;
    // A finger would otherwise hold on to the first cell.
    if (begun !== null && event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
  });
  grid.addEventListener("pointermove", (event) => {
    if (begun !== null && from !== begun && cellOf(event.target) !== begun) pickUp(begun);
  });
  grid.addEventListener("pointerup", (event) => {
    const index = cellOf(document.elementFromPoint(event.clientX, event.clientY));
    if (begun !== null && index !== null && index !== begun && from === begun) {
      dragged = begun;
      choose(index);
      // No click follows where the pointer went up over another element than it went down on.
      setTimeout(() => { dragged = null; });
    }
    begun = null;
  });
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const step = STEPS[event.key]?.map((one) => (isTurned() ? -one : one));
  if (step) {
    const column = (current % layout.columns) + step[0];
    const row = Math.floor(current / layout.columns) + step[1];
    if (column >= 0 && column < layout.columns && row >= 0 && row < layout.rows) moveTo(row * layout.columns + column);
  } else if (event.key === "Enter" || event.key === " ") {
    choose(current);
  } else return;
  event.preventDefault();
}

function moveTo(index) {
  cells[current].tabIndex = -1;
  current = index;
  cells[current].tabIndex = 0;
  cells[current].focus({ focusVisible: true });
}

/** The piece of a move that has just been made, and the rows that it has fallen. */
export const pieceAt = (cell) => ({
  piece: cells[cell]?.firstElementChild, falls: layout.falls ? Math.floor(cell / layout.columns) + 1 : 0,
});
