// What every move is worth: asked of the server, and shown as it becomes known.

import * as api from "./api.js";
import { board, draw, showVariation } from "./board.js";
import { $, h, say } from "./dom.js";
import { fail, game, isMachinesTurn, play } from "./game.js";
import { drawChart } from "./chart.js";
import { notation } from "./moves.js";

export const analysis = { on: true };

let under = null;
let asked = "";
const rows = new Map();

/** Asks about the position that is looked at, unless that is being done, or ends the asking. */
export function follow() {
  // A client has one search at a time, and the machine's move comes first.
  const wanted = analysis.on && !isMachinesTurn() && !board.editor;
  const key = wanted ? JSON.stringify([game.line.rules, game.line.start, game.line.moves.slice(0, game.ply)]) : "";
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
  $("lines").replaceChildren();
  showVariation(null);
  say($("verdict"), "");
  say($("progress"), !analysis.on ? "Off." : isMachinesTurn() ? "The machine is thinking." : "");
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
      if (under === mine) hear(found, values);
    });
  } catch (error) {
    if (under === mine && error.name !== "AbortError") {
      say($("progress"), error.message);
      if (!game.view) fail(error);
    }
  }
}

function hear(found, values) {
  const best = found.lines[0];
  board.values = new Map(found.lines.map((line, rank) => [line.pv[0].move, {
    ...line, rank, best: line.first === best.first && line.proven === best.proven,
  }]));
  for (const { ply, ...worth } of found.earlier) values[ply] ??= worth;
  if (best) values[game.ply] = { first: best.first, text: best.text, proven: best.proven, side: game.view.side };
  else if (game.view.over) values[game.ply] = result();
  say($("verdict"), found.verdict ?? "");
  const millions = (found.nodes / 1e6).toFixed(1);
  const exact = found.lines.length > 0 && found.lines.every((line) => line.proven);
  const state = exact ? "All proven" : found.done ? "Ended" : "Searching";
  say($("progress"), found.lines.length
    ? `${state}: depth ${found.depth}, ${millions} million positions`
    : game.view.over ? "The game is over." : "");
  table(found.lines);
  draw();
  drawChart();
}

/** The worth of a finished game to the chart. */
function result() {
  const { winner } = game.view.over;
  const first = winner === null ? 0 : winner === 0 ? 30000 : -30000;
  return { first, text: game.view.over.result, proven: true };
}

function table(lines) {
  const list = $("lines");
  if (!list.firstChild) {
    const heads = ["Move", "Worth", "", "Line of play"].map((text) => h("th", { scope: "col", text: text || "How sure" , class: text ? "" : "sure" }));
    list.append(h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody")));
  }
  const body = list.querySelector("tbody");
  const wanted = lines.map((line) => rowOf(line));
  // Whoever is in the table with the keyboard or the pointer does not want it to change places.
  const busy = body.matches(":hover, :focus-within") && body.childElementCount === wanted.length;
  const same = wanted.every((row, index) => body.children[index] === row);
  if (!busy && !same) body.replaceChildren(...wanted);
}

function rowOf(line) {
  const [{ move }] = line.pv;
  let row = rows.get(move);
  if (!row) {
    const button = h("button", { class: "move", onclick: () => play(move).catch(fail) });
    row = h("tr", {}, h("td", {}, button), h("td", { class: "worth" }), h("td", { class: "sure" }), h("td", { class: "pv" }));
    const show = () => showVariation(board.values.get(move)?.pv ?? null);
    row.addEventListener("pointerenter", show);
    row.addEventListener("pointerleave", () => showVariation(null));
    row.addEventListener("focusin", show);
    row.addEventListener("focusout", () => showVariation(null));
    rows.set(move, row);
  }
  const [first, worth, sure, pv] = row.children;
  say(first.firstChild, notation(line.pv[0]));
  say(worth, line.text);
  say(sure, line.proven ? "proven" : `depth ${line.depth}`);
  sure.title = line.proven ? "The result of best play" : "An estimate";
  row.classList.toggle("proven", line.proven);
  row.classList.toggle("best", board.values.get(move)?.best ?? false);
  say(pv, line.pv.slice(1).map(notation).join(" "));
  return row;
}
