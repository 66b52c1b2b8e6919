// The value of every move: asked of the engine, and shown as it becomes known.

import * as api from "./api.js";
import { board, draw, showVariation } from "./board.js";
import { $, h, say } from "./dom.js";
import { fail, game, isMachinesTurn, play, trial } from "./game.js";
import { drawChart } from "./chart.js";
import { notation } from "./notation.js";
import { kind, meaning } from "./scores.js";

export const analysis = { on: false };

let under = null;
let asked = "";
const rows = new Map();

/** Asks about the position that is looked at, unless that is being done, or ends the asking. */
export function follow() {
  // A client has one search at a time, and the machine's move and the review come first.
  const wanted = analysis.on && game.about.analysis && !isMachinesTurn() && !trial.isOpen && !board.editor;
  const { game: name, rules, start, moves } = game.line;
  const key = wanted ? JSON.stringify([name, rules, start, moves.slice(0, game.ply)]) : "";
  if (key === asked && (under || !wanted)) return;
  asked = key;
  under?.abort();
  under = null;
  clear();
  if (wanted) ask();
}

function clear() {
  board.values = new Map();
  rows.clear();
  latest = [];
  moved = 0;
  clearTimeout(sorting);
  $("lines").replaceChildren();
  showVariation(null);
  say($("verdict"), "");
  say($("progress"), !analysis.on ? "Off." : trial.isOpen ? "The review comes first." : isMachinesTurn() ? "The machine is thinking." : "");
  draw();
}

async function ask() {
  const mine = new AbortController();
  under = mine;
  const { ply, values } = game;
  const earlier = Array.from({ length: game.line.moves.length + 1 }, (_, at) => at)
    .filter((at) => at !== ply && !values[at]);
  try {
    await api.analysis(game.line, ply, earlier, mine.signal, (found) => {
      if (under === mine) show(found, values);
    });
  } catch (error) {
    if (under === mine && error.name !== "AbortError") {
      say($("progress"), error.message);
      if (!game.view) fail(error);
    }
  }
}

function show(found, values) {
  const best = found.lines[0];
  // Of moves that are at most as good, none is known to be the best.
  const isBest = (line) => line.first === best.first && line.bound === best.bound && line.bound !== "at-most";
  board.values = new Map(found.lines.map((line, rank) => [line.pv[0].move, { ...line, rank, best: isBest(line) }]));
  for (const { ply, ...value } of found.earlier) values[ply] ??= value;
  const { over } = game.view;
  if (best) values[game.ply] = best;
  else if (over) values[game.ply] = { ...over.score, text: over.result };
  say($("verdict"), found.verdict ?? "");
  const { nodes } = found;
  const count = nodes < 1e5 ? nodes.toLocaleString("en") : `${(nodes / 1e6).toFixed(1)} million`;
  const state = found.complete ? "All exact" : found.done ? "Ended" : "Searching";
  say($("progress"), best ? `${state}: depth ${found.depth}, ${count} positions` : over ? "The game is over." : "");
  table(found.lines);
  draw();
  drawChart();
}

function table(lines) {
  const list = $("lines");
  if (!list.firstChild) {
    const heads = ["Move", "Value", "Kind", "Line of play"].map((text) => h("th", { scope: "col", text }));
    list.append(h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody")));
  }
  const body = list.querySelector("tbody");
  latest = lines;
  const wanted = lines.map((line) => rowOf(line));
  const same = wanted.every((row, index) => body.children[index] === row);
  clearTimeout(sorting);
  if (same) return;
  // Who is about to click finds the row still there, and the right order a moment later.
  const rest = body.childElementCount === wanted.length ? moved + REST - Date.now() : 0;
  if (rest > 0) sorting = setTimeout(() => sort(body, wanted), rest);
  else sort(body, wanted);
}

/** How long rows keep their places after the pointer or the keyboard has moved among them. */
const REST = 1200;

/** When that was, what sorts afterwards, and the latest lines. */
let moved = 0;
let sorting = null;
let latest = [];

function sort(body, rows) {
  const focused = body.contains(document.activeElement) ? document.activeElement : null;
  body.replaceChildren(...rows);
  focused?.focus({ preventScroll: true });
}

/** Writes the moves of the table anew, after another notation has been chosen. */
export function rewrite() {
  latest.forEach(rowOf);
}

const touch = () => { moved = Date.now(); };
for (const event of ["pointermove", "pointerdown", "keydown"]) $("lines").addEventListener(event, touch, { passive: true });

function rowOf(line) {
  const [{ move }] = line.pv;
  let row = rows.get(move);
  if (!row) {
    const button = h("button", { class: "move", onclick: () => play(move).catch(fail) });
    row = h("tr", {}, h("td", {}, button), h("td", { class: "score" }), h("td", { class: "kind" }), h("td", { class: "pv" }));
    const showLine = () => showVariation(board.values.get(move)?.pv ?? null);
    row.addEventListener("pointerenter", showLine);
    row.addEventListener("pointerleave", () => showVariation(null));
    row.addEventListener("focusin", showLine);
    row.addEventListener("focusout", () => showVariation(null));
    rows.set(move, row);
  }
  const [first, score, sure, pv] = row.children;
  say(first.firstChild, notation(line.pv[0]));
  say(score, line.text);
  say(sure, kind(line));
  score.title = meaning(line);
  sure.title = meaning(line);
  row.className = `${line.bound}${board.values.get(move)?.best ? " best" : ""}`;
  say(pv, line.pv.slice(1).map(notation).join(" "));
  return row;
}
