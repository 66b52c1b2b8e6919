// A review of the game: what each move gave away, and the better moves, which one may look for first.

import { follow as analyze } from "./analysis.js";
import * as api from "./api.js";
import { showVariation } from "./board.js";
import { drawChart } from "./chart.js";
import { $, h, say } from "./dom.js";
import { fail, game, go, onChange, trial } from "./game.js";
import { mark } from "./moves.js";
import { notation } from "./notation.js";

const SIDES = ["first", "second"];

/** What has been found out, and the moves that it is about. */
let found = null;
let of = "";
let under = null;
let isUnderWay = false;
/** What finds out which moves are as good as the best. */
let learning = null;
/** The mistake that is looked at, its good moves as far as known, and whether the answer is shown. */
let current = null;
let good = null;
let isShown = false;

const key = () => JSON.stringify([game.line.game, game.line.rules, game.line.start, game.line.moves]);

/** The moves that gave something away, and those that may have. */
const marked = () => (found?.review?.moves ?? []).filter((one) => one.kind).sort((one, other) => one.ply - other.ply);

/** The moves to look at: those that are known to be mistakes, or else those that may be. */
const mistakes = () => {
  const known = marked().filter((one) => one.kind === "mistake");
  return known.length ? known : marked();
};

/** A value as the rest of the page writes it. An exact number of points is a whole one. */
const worth = (text, bound) =>
  (bound === "exact" ? text.replace(/\.00$/, "") : text.replace("<=", "≤").replace(">=", "≥"));

export function setUpReview() {
  $("review-begin").addEventListener("click", () => begin().catch(fail));
  $("review-before").addEventListener("click", () => step(-1).catch(fail));
  $("review-next").addEventListener("click", () => step(1).catch(fail));
  $("review-show").addEventListener("click", show);
  onChange((position) => { if (position) follow(); });
}

/** Follows the game: a review is of its moves, and of no others. */
function follow() {
  $("review-card").hidden = !game.about.analysis || game.line.moves.length === 0;
  if (of === key()) {
    if (current && game.ply !== current.ply - 1) leave();
    return;
  }
  if (!of) return;
  under?.abort();
  [found, of, under, isUnderWay] = [null, "", null, false];
  game.marks = new Map();
  leave();
  draw();
}

async function begin() {
  under?.abort();
  const mine = new AbortController();
  [found, of, under, isUnderWay] = [null, key(), mine, true];
  leave();
  say($("review-note"), "Looking at the game from its end…");
  try {
    await api.review(game.line, mine.signal, (told) => { if (under === mine) hear(told); });
  } finally {
    if (under === mine) end();
  }
}

function end() {
  isUnderWay = false;
  hold();
  draw();
  if (current && !isShown) learn(current).catch(() => {});
}

/** Keeps back the values of moves while the review searches, or somebody looks for the better move. */
function hold() {
  trial.isOpen = isUnderWay || (current !== null && !isShown);
  analyze();
}

function hear(told) {
  found = told;
  for (const one of told.review?.moves ?? []) {
    const side = SIDES.indexOf(one.side);
    const first = side === 0 ? one.score : -one.score;
    const forced = /win|loss/.test(one.text);
    if (one.bound) game.values[one.ply] ??= { first, forced, side, bound: one.bound, text: one.text };
  }
  game.marks = new Map(marked().map(({ ply, kind }) => [ply, kind]));
  $("chart-card").hidden = false;
  drawChart();
  mark();
  draw();
}

/** Goes to the next mistake, or to the one before. */
async function step(way) {
  const all = mistakes();
  const at = all.findIndex((one) => one.ply === current?.ply);
  const next = all[at < 0 ? (way > 0 ? 0 : all.length - 1) : at + way];
  if (!next) return;
  [current, good, isShown] = [next, null, false];
  trial.judge = judge;
  game.paused = true;
  hold();
  await go(next.ply - 1);
  draw();
  if (!isUnderWay) learn(next).catch(() => {});
}

/** Finds out which moves are as good as the best. */
async function learn(mistake) {
  learning?.abort();
  learning = new AbortController();
  await api.analysis(game.line, mistake.ply - 1, [], learning.signal, ({ lines, complete }) => {
    if (mistake !== current || !complete) return;
    good = lines.filter((line) => line.first === lines[0].first).map((line) => line.pv[0].move);
  });
}

function leave() {
  learning?.abort();
  [current, good, isShown] = [null, null, false];
  trial.judge = null;
  hold();
  draw();
}

/** Says of a move that is tried whether it is the better one, which keeps it from being made. */
function judge(move) {
  if (!current) return false;
  const tried = game.view.moves.find((one) => one.move === move || one.names.includes(move));
  if (!tried) return false;
  if (tried.move === current.best || good?.includes(tried.move)) show(tried);
  else say($("review-text"), tried.move === current.move ? `${notation(tried)} is what was played.` : `${notation(tried)} is not the best. Try another, or look at the answer.`);
  return true;
}

/** Shows the better move and its line of play. */
function show(tried) {
  isShown = true;
  learning?.abort();
  hold();
  draw();
  const lines = found.lines[current.ply] ?? {};
  const line = tried?.move && tried.move !== current.best ? [tried] : lines.best ?? [];
  showVariation(line);
  const right = tried?.move ? "Right! " : "";
  const seen = current.seen_at_depth ? ` A search of ${current.seen_at_depth} plies sees it.` : "";
  const best = line[0] ? notation(line[0]) : current.best;
  const answer = (lines.refutation ?? []).map(notation).slice(0, 8).join(" ");
  say($("review-text"), `${right}${best} ${current.kind === "mistake" ? "is" : "may be"} better: ${worth(current.best_text, current.best_bound)}. What was played is worth ${worth(current.text, current.bound)}${answer ? `, and then ${answer} follows` : ""}.${seen}`);
}

function draw() {
  const all = mistakes();
  const whole = found ? game.line.moves.length : 0;
  const doubtful = marked().filter((one) => one.kind === "doubtful").length;
  const ended = isUnderWay ? "" : ", and then another search began";
  const state = found?.left ? `${whole - found.left} of ${whole} moves judged${ended}. ` : "";
  const counts = found ? SIDES.map((side, at) => `${game.about.sides[at]} ${marked().filter((one) => one.kind === "mistake" && one.side === side).length}`).join(", ") : "";
  say($("review-note"), found ? `${state}Mistakes: ${counts}.${doubtful ? ` Doubtful, marked ?!: ${doubtful}.` : ""}` : "Each move against the best one.");
  $("review-steps").hidden = all.length === 0;
  $("review-show").hidden = !current || isShown;
  const at = all.findIndex((one) => one.ply === current?.ply);
  say($("review-at"), at < 0 ? `${all.length} in all` : `${at + 1} of ${all.length}`);
  $("review-before").disabled = at === 0;
  $("review-next").disabled = at === all.length - 1;
  if (!current) return say($("review-text"), "");
  const name = game.about.sides[SIDES.indexOf(current.side)];
  const played = game.played[current.ply - 1];
  if (!isShown) say($("review-text"), `Move ${current.ply}: ${name} played ${notation(played)}, worth ${worth(current.text, current.bound)} where ${worth(current.best_text, current.best_bound)} was possible. Find the better move on the board.`);
}
