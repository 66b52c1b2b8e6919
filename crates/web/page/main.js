// The page: puts its parts together.

import * as api from "./api.js";
import { analysis, follow } from "./analysis.js";
import { setUpBeside } from "./beside.js";
import { board, build, draw, drawPass, pass, putDown } from "./board.js";
import { drawChart } from "./chart.js";
import { setUpDialogs, showHelp } from "./dialogs.js";
import { $, h, isTyping, say } from "./dom.js";
import { followExplained, setUpExplain } from "./explain.js";
import { closeOpened, restoreOpened, saveGame, saveState } from "./files.js";
import { begin, fail, game, go, isMachinesTurn, onChange, passMove, play, takeBack } from "./game.js";
import { setNotations, setUpMoves } from "./moves.js";
import { buildPlayers, setUpPlayers } from "./players.js";
import { setUpPrograms } from "./programs.js";
import { isSettingUp, startSetup } from "./setup.js";
import * as store from "./store.js";

let built = null;

/** Shows what depends on the game and its rules. */
function rebuild() {
  if (built === game.about) return;
  built = game.about;
  const { name, title, layout, rules, rule_sets: sets } = game.about;
  document.title = title;
  say($("title"), title);
  $("game").value = name;
  build(layout);
  setNotations(layout.notations);
  buildPlayers();
  $("rules-label").hidden = sets.length < 2;
  $("rules").replaceChildren(...sets.map((name) => h("option", { value: name, text: name, selected: name === rules })));
}

function show(position) {
  rebuild();
  if (position) {
    draw();
    drawChart();
  }
  follow();
  followExplained();
  drawPass();
  const { view, fault } = game;
  const lost = game.forfeit && forfeited(game.forfeit);
  const state = view.over ? `${view.over.result} (${view.over.reason})` : isMachinesTurn() ? `${view.turn} Thinking…` : view.turn;
  const mayPass = passMove() && !isMachinesTurn() && "A pass is possible (P).";
  const parts = [...lastMoves(view.played), state, mayPass, view.doubt && `Note: ${view.doubt}.`];
  say($("status"), fault || lost || parts.filter(Boolean).join(". ").replaceAll("..", "."));
  $("status").classList.toggle("error", Boolean(fault || lost));
  $("status").classList.toggle("over", Boolean(view.over));
  if (position) say($("hint"), "");
}

/** How a program has lost. */
function forfeited({ side, name, fault }) {
  return `${game.about.sides[side]} (${name}) loses: ${fault}.`;
}

/** The last move in words, and the moves before it as far as there was a pass in between. */
function lastMoves(played) {
  let first = played.length - 1;
  while (first > 0 && (played[first].pass || played[first - 1].pass)) first -= 1;
  return played.slice(Math.max(first, 0)).map((move) => move.text);
}

function newGame() {
  closeOpened();
  begin({ game: game.about.name, rules: $("rules").value || game.line.rules, moves: [] }).catch(fail);
}

/** Shows the game of this name as it was left. */
function changeGame(name) {
  closeOpened();
  const { ply, times, names, ...line } = store.ofGame(name).load("game", { moves: [] });
  const fresh = () => begin({ game: name, moves: [] });
  begin({ ...line, game: name }, { ply, times, names }).catch(fresh).catch(fail);
}

function setUpButtons() {
  $("game").addEventListener("change", (event) => changeGame(event.target.value));
  $("new").addEventListener("click", newGame);
  $("pass").addEventListener("click", () => pass().catch(fail));
  $("rules").addEventListener("change", newGame);
  $("setup").addEventListener("click", () => { if (!isSettingUp()) startSetup(follow); });
  $("save-state").addEventListener("click", saveState);
  $("save-game").addEventListener("click", () => saveGame().catch(fail));
  $("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    const field = $("typed-move");
    if (field.value.trim()) play(field.value.trim()).then(() => { field.value = ""; }, fail);
  });
}

/** A setting that a checkbox or a list shows, and that is kept. */
function setting(id, fallback, apply) {
  const control = $(id);
  const property = control.type === "checkbox" ? "checked" : "value";
  control[property] = store.ofPage.load(id, fallback);
  apply(control[property]);
  control.addEventListener("change", () => {
    store.ofPage.save(id, control[property]);
    apply(control[property]);
    if (game.view) { draw(); follow(); }
  });
}

function setUpSettings() {
  // What moves are worth is not the first thing that somebody sees who is to find it out.
  setting("analysis-on", false, (on) => {
    analysis.on = on;
    for (const id of ["values", "chart-card", "show-values-label"]) $(id).hidden = !on;
  });
  $("analysis-card").hidden = !game.about.analysis;
  if (!game.about.analysis) for (const id of ["chart-card", "show-values-label"]) $(id).hidden = true;
  setting("show-values", true, (on) => { board.showValues = on; });
  setting("show-lines", true, (on) => { board.showLines = on; });
  setting("theme", "", (theme) => { document.documentElement.dataset.theme = theme; });
}

const KEYS = {
  ",": () => go(game.ply - 1),
  ".": () => go(game.ply + 1),
  Home: () => go(0),
  End: () => go(game.line.moves.length),
  u: takeBack,
  n: newGame,
  a: () => { if (game.about.analysis) $("analysis-on").click(); },
  m: () => $("typed-move").focus(),
  p: pass,
  "?": showHelp,
  Escape: putDown,
};

function setUpKeys() {
  document.addEventListener("keydown", (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || !game.view) return;
    const action = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    // A move of a single symbol needs no field.
    const move = game.view.moves.find((one) => one.move === event.key);
    if (!action && (!move || isMachinesTurn() || isSettingUp())) return;
    event.preventDefault();
    Promise.resolve(action ? action() : play(move.move)).catch(fail);
  });
}

async function start() {
  game.about = await api.about();
  const { games, name: first } = game.about;
  $("game-label").hidden = games.length < 2;
  // The list of games has the title too.
  $("title").classList.toggle("unseen", games.length > 1);
  $("game").replaceChildren(...games.map(({ name, title }) => h("option", { value: name, text: title })));
  setUpSettings();
  onChange(show);
  setUpMoves();
  setUpPlayers();
  setUpPrograms();
  setUpBeside();
  setUpExplain();
  setUpButtons();
  setUpDialogs();
  setUpKeys();
  const named = store.fromAddress();
  const kept = store.ofGame(named?.game ?? first).load("game", null);
  const wanted = named ?? kept ?? { moves: [] };
  const same = kept && JSON.stringify([kept.start, kept.moves]) === JSON.stringify([wanted.start, wanted.moves]);
  const more = same ? { times: kept.times, names: kept.names } : {};
  try {
    await begin(wanted, { ply: wanted.ply ?? undefined, anew: false, ...more });
  } catch (error) {
    await begin({ moves: [] }, { anew: false });
    fail(error);
  }
  restoreOpened();
  addEventListener("popstate", () => {
    const line = store.fromAddress();
    if (line) begin(line, { ply: line.ply ?? undefined, anew: false }).catch(fail);
  });
  document.body.classList.add("ready");
}

start().catch((error) => say($("status"), error.message));
