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
/** What has been found out of games that may come back. */
const earlier = new Map();
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

/** The mark of a move: two question marks where it changes who wins, and the points that it gives away. */
const markOf = ({ kind, loss, outcome_lost: isChanged }) =>
  (kind === "doubtful" ? "?!" : `${isChanged ? "??" : "?"}${found.review.in_points && loss ? ` −${loss}` : ""}`);

const marks = () => new Map(marked().map((one) => [one.ply, { kind: one.kind, text: markOf(one) }]));

/** The moves to look at: those that are known to be mistakes, or else those that may be. */
const mistakes = () => {
  const known = marked().filter((one) => one.kind === "mistake");
  return known.length ? known : marked();
};

/** The parts of "a win in 3", each as it is and as what a move does. */
const OUTCOMES = { win: ["a win", "wins"], loss: ["a loss", "loses"], tie: ["a tie", "ties"] };

/** A value in words: the result of best play if that is known, as it is (0) or as what a move does (1). */
function worth(text, value, bound, form) {
  const isExact = bound === "exact" && found.review.in_points;
  const points = Math.abs(value);
  const [, known, rest] = isExact
    ? [, value > 0 ? "win" : value < 0 ? "loss" : "tie", value ? ` by ${points} ${points === 1 ? "point" : "points"}` : ""]
    : text.replace("<=", "≤").replace(">=", "≥").match(/^(win|loss)(.*)$/) ?? [];
  if (known) return OUTCOMES[known][form] + rest;
  return (form ? "is worth " : "") + text.replace("<=", "≤").replace(">=", "≥");
}

const played = (one, form = 1) => worth(one.text, one.value, one.bound, form);
const best = (one, form = 0) => worth(one.best_text, one.best_value, one.best_bound, form);

export function setUpReview() {
  $("review-begin").addEventListener("click", () => begin().catch(fail));
  $("review-before").addEventListener("click", () => step(-1).catch(fail));
  $("review-next").addEventListener("click", () => step(1).catch(fail));
  $("review-worst").addEventListener("click", () => lookAt(worst()).catch(fail));
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
  const known = earlier.get(key());
  if (!of && !known) return;
  under?.abort();
  [found, of, under, isUnderWay] = [known ?? null, known ? key() : "", null, false];
  game.marks = marks();
  leave();
  draw();
  if (known) mark();
}

async function begin() {
  under?.abort();
  const mine = new AbortController();
  [found, of, under, isUnderWay] = [null, key(), mine, true];
  earlier.delete(of);
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
  earlier.set(of, found);
  for (const one of told.review?.moves ?? []) {
    const side = SIDES.indexOf(one.side);
    const first = side === 0 ? one.score : -one.score;
    const forced = /win|loss/.test(one.text);
    if (one.bound) game.values[one.ply] ??= { first, forced, side, bound: one.bound, text: one.text };
  }
  game.marks = marks();
  // The chart comes above what the person looks at, which stays where it is.
  const { top } = $("review-card").getBoundingClientRect();
  $("chart-card").hidden = false;
  drawChart();
  mark();
  draw();
  scrollBy({ top: $("review-card").getBoundingClientRect().top - top, behavior: "instant" });
}

/** Goes to the next mistake, or to the one before. */
async function step(way) {
  const all = mistakes();
  const at = all.findIndex((one) => one.ply === current?.ply);
  await lookAt(all[at < 0 ? (way > 0 ? 0 : all.length - 1) : at + way]);
}

/** The mistake that costs most: first of all who wins, then points. */
const worst = () => {
  const cost = ({ outcome_lost: isChanged, loss }) => (isChanged ? 1e6 : 0) + (loss ?? 0);
  return mistakes().toSorted((one, other) => cost(other) - cost(one))[0];
};

async function lookAt(next) {
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
  else say($("review-text"), tried.move === current.move ? `${notation(tried)} is what was played.` : `${notation(tried)} is not the best. ${isShown ? "The better move is on the board." : "Try another, or let the page show it."}`);
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
  const better = line[0] ? notation(line[0]) : current.best;
  const answer = (lines.refutation ?? []).map(notation).slice(0, 8).join(" ");
  say($("review-text"), `${right}${better} ${current.kind === "mistake" ? "is" : "may be"} better: it ${best(current, 1)}. What was played ${played(current)}${answer ? `, and then ${answer} follows` : ""}.${seen}`);
}

function draw() {
  const all = mistakes();
  const whole = found ? game.line.moves.length : 0;
  const doubtful = marked().filter((one) => one.kind === "doubtful").length;
  const ended = isUnderWay ? "" : ", and then another search began";
  const state = found?.left ? `${whole - found.left} of ${whole} moves judged${ended}. ` : "";
  const counts = found ? SIDES.map((side, at) => `${game.about.sides[at]}: ${marked().filter((one) => one.kind === "mistake" && one.side === side).length}`).join(", ") : "";
  say($("review-note"), found ? `${state}Mistakes: ${counts}.${doubtful ? ` Doubtful, marked ?!: ${doubtful}.` : ""}` : "Each move against the best one.");
  $("review-steps").hidden = all.length === 0;
  $("review-show").hidden = !current || isShown;
  const at = all.findIndex((one) => one.ply === current?.ply);
  say($("review-at"), at < 0 ? `${all.length} in all` : `${at + 1} of ${all.length}`);
  $("review-before").disabled = at === 0;
  $("review-next").disabled = at === all.length - 1;
  Array.from($("moves").children).forEach((item, index) => item.classList.toggle("discussed", current?.ply === index + 1));
  if (!current) return say($("review-text"), "");
  const name = game.about.sides[SIDES.indexOf(current.side)];
  if (!isShown) say($("review-text"), `Move ${current.ply}: ${name} played ${notation(game.played[current.ply - 1])}, which ${played(current)}; ${best(current)} was possible. Find the better move on the board.`);
}
