// The page: puts its parts together.

import * as api from "./api.js";
import { analysis, follow } from "./analysis.js";
import { board, build, draw, putDown } from "./board.js";
import { drawChart } from "./chart.js";
import { setUpDialogs, showHelp } from "./dialogs.js";
import { $, h, isTyping, say } from "./dom.js";
import { closeOpened, restoreOpened, saveGame, saveState } from "./files.js";
import { begin, fail, game, go, isMachinesTurn, onChange, play, takeBack } from "./game.js";
import { setNotations, setUpMoves } from "./moves.js";
import { buildPlayers, setUpPlayers } from "./players.js";
import { isSettingUp, startSetup } from "./setup.js";
import * as store from "./store.js";

let built = null;

/** What depends on the rules. */
function rebuild() {
  if (built === game.about) return;
  built = game.about;
  const { layout, rules, rule_sets: sets } = game.about;
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
  const { view, fault } = game;
  const last = view.played.at(-1);
  const state = view.over ? `${view.over.result} (${view.over.reason})` : isMachinesTurn() ? `${view.turn} Thinking…` : view.turn;
  say($("status"), fault || [last?.text, state, view.doubt && `Note: ${view.doubt}.`].filter(Boolean).join(". ").replaceAll("..", "."));
  $("status").classList.toggle("error", Boolean(fault));
  $("status").classList.toggle("over", Boolean(view.over));
  if (position) say($("hint"), "");
}

function newGame() {
  closeOpened();
  begin({ rules: $("rules").value || game.line.rules, start: null, moves: [] }).catch(fail);
}

function setUpButtons() {
  $("new").addEventListener("click", newGame);
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
  control[property] = store.load(id, fallback);
  apply(control[property]);
  control.addEventListener("change", () => {
    store.save(id, control[property]);
    apply(control[property]);
    if (game.view) { draw(); follow(); }
  });
}

function setUpSettings() {
  setting("analysis-on", true, (on) => { analysis.on = on; });
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
  a: () => $("analysis-on").click(),
  m: () => $("typed-move").focus(),
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
  const about = await api.about();
  store.setName(about.name);
  document.title = about.title;
  say($("title"), about.title);
  game.about = about;
  const players = store.load("players", game.players);
  if (Array.isArray(players) && players.length === 2) game.players = players;
  setUpSettings();
  onChange(show);
  setUpMoves();
  setUpPlayers();
  setUpButtons();
  setUpDialogs();
  setUpKeys();
  const kept = store.load("game", null);
  const named = store.fromAddress();
  const wanted = named ?? kept ?? { rules: about.rules, start: null, moves: [] };
  const same = kept && JSON.stringify([kept.start, kept.moves]) === JSON.stringify([wanted.start, wanted.moves]);
  const more = same ? { times: kept.times, names: kept.names } : {};
  try {
    await begin(wanted, { ply: wanted.ply ?? undefined, anew: false, ...more });
  } catch (error) {
    await begin({ rules: about.rules, start: null, moves: [] }, { anew: false });
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
