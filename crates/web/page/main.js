// The page: puts its parts together.

import * as api from "./api.js";
import { analysis, follow } from "./analysis.js";
import { setUpBeside } from "./beside.js";
import { board, build, draw, drawPass, obstacle, pass, prompt, putDown, showVariation } from "./board.js";
import { drawChart } from "./chart.js";
import { setUpDialogs, showHelp } from "./dialogs.js";
import { $, copy, h, isTyping, say } from "./dom.js";
import { followExplained, setUpExplain } from "./explain.js";
import { closeOpened, restoreOpened, saveGame, saveState } from "./files.js";
import { begin, fail, game, go, goodMove, isMachinesTurn, isOver, isPerson, onChange, passMove, play, resign, resignedHere, takeBack } from "./game.js";
import { setUpGuide } from "./guide.js";
import * as motion from "./motion.js";
import { setNotations, setUpMoves } from "./moves.js";
import { notation, written } from "./notation.js";
import { buildPlayers, setUpPlayers } from "./players.js";
import { setUpPrograms } from "./programs.js";
import { setUpReview } from "./review.js";
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
  setNotations(layout.notations);
  build(layout);
  buildPlayers();
  $("rules-label").hidden = sets.length < 2;
  $("rules").replaceChildren(...sets.map((name) => h("option", { value: name, text: name, selected: name === rules })));
}

function show(position) {
  document.body.classList.remove("refused");
  $("refused").hidden = true;
  rebuild();
  if (position) {
    showVariation(null);
    draw();
    drawChart();
    motion.follow(game);
  }
  follow();
  followExplained();
  drawPass();
  const { view, fault } = game;
  const lost = game.forfeit ? forfeited(game.forfeit) : gaveUp();
  const mayPass = passMove() && !isMachinesTurn() && !isOver() && "A pass is possible (P).";
  const turn = isMachinesTurn() ? `${view.turn} Thinking…` : view.turn;
  const parts = [...lastMoves(view.played), view.over ? ended(view.over) : turn, mayPass, view.doubt && `Note: ${view.doubt}.`];
  say($("status"), fault || lost || written(game.about.layout, parts.filter(Boolean).join(". ").replaceAll("..", ".")));
  $("status").classList.toggle("error", Boolean(fault || game.forfeit));
  $("status").classList.toggle("over", isOver());
  // What a person loses to a machine is no good news.
  const loser = view.over ? [1, 0][view.over.winner] : resignedHere();
  $("status").classList.toggle("lost", [0, 1].includes(loser) && isPerson(loser) && !isPerson(1 - loser));
  $("retry").hidden = !game.isCutOff;
  $("resign").disabled = Boolean(isOver() || game.forfeit || !view.played.length || ![0, 1].some(isPerson));
  $("ask-hint").disabled = isOver() || isMachinesTurn();
  if (position) say($("hint"), prompt());
}

const ended = ({ result, reason }) => (reason ? `${result} (${reason})` : result);

/** How a side has lost whose program did something wrong. */
const forfeited = ({ side, name, fault }) => `${game.about.sides[side]} (${name}) loses: ${fault}.`;

/** How a side has lost that gave up, if one has. */
function gaveUp() {
  const [{ sides }, side] = [game.about, resignedHere()];
  return side !== null && `${sides[side]} resigns. ${sides[1 - side]} wins.`;
}

/** The last move in words, and the moves before it as far as there was a pass in between. */
function lastMoves(played) {
  let first = played.length - 1;
  while (first > 0 && (played[first].pass || played[first - 1].pass)) first -= 1;
  return played.slice(Math.max(first, 0)).map((move) => move.text);
}

function newGame() {
  closeOpened();
  const name = $("game").value || game.about.name;
  begin({ game: name, rules: (name === game.about.name && $("rules").value) || undefined, moves: [] }).catch(fail);
}

/** Shows the game of this name as it was left. */
function changeGame(name) {
  closeOpened();
  const { ply, times, names, paused, resigned, ...line } = store.ofGame(name).load("game", { moves: [] });
  const fresh = () => begin({ game: name, moves: [] });
  begin({ ...line, game: name }, { ply, times, names, paused, resigned }).catch(fresh).catch(fail);
}

/** Shows a good move on the board: the best that the analysis knows, or that of a machine. */
async function showHint() {
  if ($("ask-hint").disabled) return;
  const [best] = analysis.on ? board.values.values() : [];
  if (!best) say($("hint"), "Looking for a good move…");
  const { view } = game;
  const step = best?.pv[0] ?? await goodMove();
  if (view !== game.view || !step) return;
  showVariation([step]);
  say($("hint"), step.pass ? "Hint: pass" : `Hint: ${step.from === null && !game.about.layout.falls ? "square " : ""}${notation(step)}${best ? `, ${best.text}` : ""}`);
}

/** Turns the board, so that the other side sits below. */
function turn() {
  board.flipped = !board.flipped;
  document.body.classList.toggle("flipped", board.flipped);
  build(game.about.layout);
  draw();
}

/** Gives up when asked twice. */
function giveUp() {
  const button = $("resign");
  const isSure = button.textContent !== "Resign";
  say(button, isSure ? "Resign" : "Really?");
  if (isSure) return resign();
  setTimeout(() => say(button, "Resign"), 3000);
}

async function copyLink() {
  const isCopied = await copy(location.href);
  say($("copy-link"), isCopied ? "Copied" : "Copy it from the address bar");
  setTimeout(() => say($("copy-link"), "Copy link"), 3000);
}

/** On a telephone, one row of controls is beside the board, and the rest in the menu. */
function setUpMenu() {
  const isNarrow = matchMedia("(max-width: 560px)");
  const arrange = () => (isNarrow.matches ? $("menu-play") : $("controls")).append($("flip"), $("resign"), $("typed"));
  arrange();
  isNarrow.addEventListener("change", arrange);
  // What opens something else, or is done at once, closes the menu.
  $("menu").addEventListener("click", (event) => { if (event.target.closest("button:not(#resign)")) $("menu").hidePopover(); });
}

function setUpButtons() {
  $("ask-hint").addEventListener("click", () => showHint().catch(fail));
  $("flip").addEventListener("click", turn);
  $("resign").addEventListener("click", giveUp);
  $("copy-link").addEventListener("click", copyLink);
  $("retry").addEventListener("click", () => (game.view ? go(game.ply).catch(fail) : location.reload()));
  $("game").addEventListener("change", (event) => changeGame(event.target.value));
  $("new").addEventListener("click", newGame);
  $("pass").addEventListener("click", () => pass().catch(fail));
  $("rules").addEventListener("change", newGame);
  $("setup").addEventListener("click", () => { if (!isSettingUp()) startSetup(follow); });
  $("save-state").addEventListener("click", saveState);
  $("save-game").addEventListener("click", () => saveGame().catch(fail));
  const [field, button] = [$("typed-move"), $("typed").querySelector("button")];
  field.addEventListener("input", () => { button.disabled = !field.value.trim(); });
  $("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    const clear = () => { [field.value, button.disabled] = ["", true]; };
    if (field.value.trim()) play(field.value.trim()).then(clear, fail);
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
    for (const id of ["values", "chart-card", "show-values-label", "gauge"]) $(id).hidden = !on;
  });
  $("analysis-card").hidden = !game.about.analysis;
  if (!game.about.analysis) for (const id of ["chart-card", "show-values-label", "gauge"]) $(id).hidden = true;
  setting("show-values", true, (on) => { board.showValues = on; });
  setting("show-lines", true, (on) => { board.showLines = on; });
  setting("sound", false, (on) => { motion.sound.on = on; });
  setting("theme", "", (theme) => { document.documentElement.dataset.theme = theme; });
}

const KEYS = {
  ",": () => go(game.ply - 1),
  ".": () => go(game.ply + 1),
  ArrowLeft: () => go(game.ply - 1),
  ArrowRight: () => go(game.ply + 1),
  Home: () => go(0),
  End: () => go(game.line.moves.length),
  u: takeBack,
  n: newGame,
  a: () => { if (game.about.analysis) $("analysis-on").click(); },
  m: () => $("typed-move").focus(),
  p: pass,
  h: showHint,
  f: turn,
  "?": showHelp,
  Escape: putDown,
};

function setUpKeys() {
  document.addEventListener("keydown", (event) => {
    // The board, the chart and the tree of a search have keys of their own.
    if (event.defaultPrevented || isTyping(event) || event.target.closest?.("#menu") || event.ctrlKey || event.metaKey || event.altKey || !game.view) return;
    const action = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    // A move of a single symbol needs no field.
    const move = game.view.moves.find((one) => one.move === event.key);
    if (!action && (!move || isSettingUp())) return;
    event.preventDefault();
    if (!action && obstacle()) return say($("hint"), obstacle());
    Promise.resolve(action ? action() : play(move.move)).catch(fail);
  });
}

/** Opens the game of a link, or says why it is none, and offers the games that there are. */
async function openLink(read) {
  try {
    await begin(...read());
  } catch (error) {
    refuse(error);
  }
}

function refuse(error) {
  if (error.isCutOff) throw error;
  // What comes next is a game of the kind that the link names, if there is one.
  const name = new URLSearchParams(location.hash.slice(1)).get("game");
  const named = game.about.games.find((one) => one.name === name);
  if (named) {
    $("game").value = name;
    document.title = named.title;
    say($("title"), named.title);
    built = null;
  }
  document.body.classList.add("refused");
  $("refused").hidden = false;
  say($("refused-why"), error.message);
  $("refused-games").replaceChildren(...game.about.games.map(({ name, title }) =>
    h("li", {}, h("a", { href: `#game=${name}`, text: title }))));
}

/** What `begin` takes for the game that the address names. */
function linked({ anew = false, isOwn = false } = {}) {
  const line = store.fromAddress();
  if (!line) return [{ moves: [] }, { anew }];
  return [line, { ply: line.ply ?? undefined, anew, sent: !isOwn }];
}

/** What `begin` takes first: the game of the address, or else the one that was left last. */
function wanted() {
  const isNamed = store.fromAddress() !== null;
  const [line, options] = linked();
  const last = store.ofPage.load("last", null);
  if (!isNamed && game.about.games.some(({ name }) => name === last)) line.game = last;
  const kept = store.ofGame(line.game ?? game.about.name).load("game", null);
  if (!kept) return [line, options];
  const { ply, times, names, paused, resigned } = kept;
  if (!isNamed) return [kept, { ply, times, names, paused, resigned, anew: false }];
  const isSame = JSON.stringify(kept.moves) === JSON.stringify(line.moves) && (line.start ?? kept.start) === kept.start;
  return isSame ? [line, { ...options, times, names, paused, resigned, sent: false }] : [line, options];
}

async function start() {
  addEventListener("engine-progress", ({ detail }) => say($("status"), `Loading the engine: ${detail}`));
  game.about = await api.about();
  const { games } = game.about;
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
  setUpReview();
  setUpGuide();
  setUpButtons();
  setUpMenu();
  setUpDialogs();
  setUpKeys();
  await openLink(wanted);
  restoreOpened();
  addEventListener("popstate", ({ state }) => openLink(() => linked({ isOwn: state?.own })).catch(fail));
  document.body.classList.remove("loading");
  document.body.classList.add("ready");
}

start().catch((error) => {
  say($("status"), `${error.message} The board needs it: try again when the connection is back.`);
  $("status").classList.add("error");
  $("retry").hidden = false;
});
