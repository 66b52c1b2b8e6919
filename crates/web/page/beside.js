// What a program says of its search, beside ours: depth, positions and value of each of its moves.

import * as api from "./api.js";
import { $, h, s, say } from "./dom.js";
import { fail, game, go, onChange, programOf } from "./game.js";
import { notation } from "./notation.js";
import { spoken } from "./scores.js";
import * as store from "./store.js";

/** How many moves to ask about at a time, and how deep to look where a program does not say. */
const AT_ONCE = 4;
const USUAL_DEPTH = 4;
/** In points: values that differ by less say the same. */
const SAME = 0.5;

const [WIDTH, HEIGHT, MARGIN] = [400, 64, 6];
/** The points that are drawn half way up. */
const HALF = 3;

/** What our search says, by the moves up to the one that it is about. */
const ours = new Map();
let isOn = false;
let asking = false;
let parts = null;

/** The moves of programs whose cost is known, by ply. */
const known = () => game.view.played.flatMap((move, ply) =>
  (programOf(move.side) && game.costs[ply] ? [{ ply, move, theirs: game.costs[ply] }] : []));

const keyOf = (ply) => JSON.stringify([game.line.game, game.line.rules, game.line.start, game.line.moves.slice(0, ply + 1)]);

export function setUpBeside() {
  const note = h("p", { class: "quiet", role: "status" });
  const box = h("input", { type: "checkbox", onchange: (event) => { isOn = event.target.checked; store.ofPage.save("beside", isOn); follow(); } });
  box.checked = isOn = game.about.analysis && store.ofPage.load("beside", false);
  const rows = h("tbody");
  const heads = ["Move", "Depth", "Positions", "Value", "Our depth", "Our positions", "Our value", "Differ"];
  const table = h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col", text })))), rows);
  const scroll = h("div", { class: "costs", tabindex: 0, role: "region", "aria-label": "The program beside our search" }, table);
  const charts = h("div", { class: "beside-charts" });
  const legend = h("p", { class: "quiet", text: "● the program, ◇ our search to the same depth, ≠ they differ" });
  parts = { note, rows, charts, all: h("div", {}, charts, legend, scroll) };
  $("beside").replaceChildren(h("label", { class: "switch" }, box, " Beside our search to the same depth"), note, parts.all);
  $("beside").hidden = !game.about.analysis;
  onChange((position) => { if (position) follow(); });
}

function follow() {
  const moves = known();
  parts.all.hidden = !isOn || moves.length === 0;
  say(parts.note, isOn && !moves.length ? "A program that plays and says what it finds is shown here." : "");
  if (parts.all.hidden) return;
  draw(moves);
  ask(moves).catch((error) => say(parts.note, error.message));
}

async function ask(moves) {
  const wanted = moves.filter(({ ply }) => !ours.has(keyOf(ply))).slice(0, AT_ONCE);
  if (asking || !wanted.length) return;
  asking = true;
  const line = game.line;
  const keys = new Map(wanted.map(({ ply }) => [ply, keyOf(ply)]));
  try {
    const asked = wanted.map(({ ply, theirs }) => ({ ply, depth: theirs.depth || USUAL_DEPTH }));
    const answer = await api.beside(line, asked);
    // What has no answer is not asked about again.
    for (const [ply, key] of keys) ours.set(key, answer.moves.find((one) => one.ply === ply) ?? null);
  } finally {
    asking = false;
  }
  if (isOn) follow();
}

/** Where the two differ, in words; empty where they say the same. */
function difference({ theirs }, own) {
  if (!own) return "";
  const parts = [];
  if (!own.agrees) {
    const by = own.loss === null ? `better: ${own.score.text}` : `${own.loss.toFixed(2)} better`;
    parts.push(`${notation(own.best)} is ${by}`);
  }
  if (theirs.score) {
    const apart = Math.abs(theirs.score.first - own.score.first) / game.about.point;
    if (theirs.score.forced !== own.score.forced) parts.push("one sees a forced end");
    else if (!theirs.score.forced && apart >= SAME) parts.push(`values ${apart.toFixed(2)} apart`);
  }
  return parts.length ? `≠ ${parts.join("; ")}` : "";
}

function draw(moves) {
  const both = moves.map((one) => ({ ...one, own: ours.get(keyOf(one.ply)) ?? null }));
  const value = (score) => score && (score.forced ? Math.sign(score.first) : score.first / (Math.abs(score.first) + HALF * game.about.point));
  const log = (nodes) => (nodes ? Math.log10(nodes) : null);
  parts.charts.replaceChildren(
    chart(`Value (up: ${game.about.sides[0]})`, both, ({ theirs }) => value(theirs.score), (own) => value(own.score), [-1, 1], true),
    chart("Positions looked at, by powers of ten", both, ({ theirs }) => log(theirs.nodes), (own) => log(own.nodes), [0, top(both, (said) => log(said?.nodes), 3)]),
    chart("Depth", both, ({ theirs }) => theirs.depth, (own) => own.depth, [0, top(both, (said) => said?.depth, 4)]));
  const count = (number) => (number === null || number === undefined ? "" : number.toLocaleString("en"));
  parts.rows.replaceChildren(...both.reverse().map((one) => {
    const { ply, move, theirs, own } = one;
    const to = h("button", { type: "button", class: "link", text: `${ply + 1}. ${notation(move)}`, onclick: () => go(ply).catch(fail) });
    const texts = [count(theirs.depth), count(theirs.nodes), theirs.score?.text ?? "", own?.depth ?? "", count(own?.nodes), own?.score.text ?? "", difference(one, own)];
    return h("tr", {}, h("td", {}, to), ...texts.map((text) => h("td", { text })));
  }));
}

/** The whole number that no figure of either is above, and at least this. */
const top = (both, of, least) => Math.ceil(Math.max(least, ...both.flatMap(({ theirs, own }) => [of(theirs) ?? 0, of(own) ?? 0])));

/** A chart over the game: the program's figures as dots on a line, ours as diamonds on a dashed one. */
function chart(title, both, theirsOf, ownOf, [least, most], marksApart = false) {
  const last = Math.max(1, game.line.moves.length - 1);
  const x = (ply) => MARGIN + (ply / last) * (WIDTH - 2 * MARGIN);
  const y = (number) => HEIGHT - MARGIN - ((number - least) / (most - least)) * (HEIGHT - 2 * MARGIN);
  const points = (of) => both.flatMap((one) => { const number = of(one); return number === null || number === undefined ? [] : [[x(one.ply), y(number)]]; });
  const theirs = points(theirsOf);
  const own = points((one) => one.own && ownOf(one.own));
  const line = (at, name) => s("polyline", { class: name, points: at.map((point) => point.join(",")).join(" ") });
  const diamond = ([cx, cy]) => s("polygon", { class: "ours", points: `${cx},${cy - 5} ${cx + 5},${cy} ${cx},${cy + 5} ${cx - 5},${cy}` });
  const apart = marksApart ? both.filter((one) => difference(one, one.own)) : [];
  const words = `${title}: ${both.map(({ ply, theirs: said, own: found }) =>
    `move ${ply + 1}, it ${said.score ? spoken(said.score) : "says no value"}, we ${found ? spoken(found.score) : "do not know yet"}`).join("; ")}`;
  return h("figure", {}, h("figcaption", { class: "quiet", text: title }),
    s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 14}`, role: "img", "aria-label": words },
      s("line", { class: "zero", x1: 0, x2: WIDTH, y1: y(Math.max(0, least)), y2: y(Math.max(0, least)) }),
      line(own, "ours"), line(theirs, "theirs"), ...own.map(diamond),
      ...theirs.map(([cx, cy]) => s("circle", { class: "theirs", cx, cy, r: 3.5 })),
      ...apart.map(({ ply }) => s("text", { class: "apart", x: x(ply), y: HEIGHT + 11, text: "≠" }))));
}
