// The game: its moves, the position that is looked at, and who plays. It knows no rules: what is
// legal, and what stands where after a move, the server says.

import * as api from "./api.js";
import * as store from "./store.js";

const PERSON = "human";

/** The owners of pieces that are sides, in the order of their numbers. */
export const SIDES = ["first", "second"];

/** Both players of a game that is new to this browser: a kind, a depth and a number of seconds. */
const PLAYERS = [
  { kind: PERSON, depth: 7, seconds: 1 },
  { kind: "sees:2", depth: 7, seconds: 1 },
];

/**
 * What is asked about a move instead of making it, if anything is: a function that says whether it took the move.
 * `isOpen`: whether the values of moves are not to be asked for meanwhile.
 */
export const trial = { judge: null, isOpen: false };

export const game = {
  /** The description of the game, from the server. */
  about: null,
  /** The name of the game, the rules, the first position and all moves. */
  line: null,
  /** All its moves as people look at them. */
  played: [],
  /** The milliseconds that every move took. */
  times: [],
  /** What the program of a move says that it took and found, by ply, as far as known. */
  costs: [],
  /** The value of the position after so many moves, as far as known. */
  values: [],
  /** The mistakes that a review has found, by the number of the move. */
  marks: new Map(),
  /** How many moves have been made in the position that is looked at. */
  ply: 0,
  /** What the server says of that position. */
  view: null,
  /** Both players. */
  players: PLAYERS,
  /** The names of the players of a game that was opened. */
  names: null,
  /** The game that another move, or going on, has given up: what `whole` returns. */
  dropped: null,
  /** Whether machines wait for the user. */
  paused: false,
  /** Whether machines are to wait after the move that is being thought about. */
  pausing: false,
  /** Whether a machine thinks. */
  thinking: false,
  /** What has gone wrong, if anything has. */
  fault: "",
  /** Whether nothing answers. */
  isCutOff: false,
  /** How the program that was to move has lost, if it has: its name and the fault. */
  forfeit: null,
  /** The side that has given up after the last move, if one has, and whether machines waited before. */
  resigned: null,
  turnBegan: Date.now(),
};

const listeners = [];

/** Calls `listener` after every change, with whether the position or the moves are others. */
export const onChange = (listener) => listeners.push(listener);

function changed(position = false) {
  for (const listener of listeners) listener(position);
}

export const isAtEnd = () => game.ply === game.line.moves.length;

/** The side that has given up in the position that is looked at, or `null`. */
export const resignedHere = () => (isAtEnd() ? game.resigned?.side ?? null : null);

/** Whether nobody may move. */
export const isOver = () => Boolean(game.view.over) || resignedHere() !== null;

export const isPerson = (side) => game.players[side].kind === PERSON;

/** What the kind of a player begins with that is somebody's program; its name follows. */
export const PROGRAM = "player:";

/** The program that plays a side, as the server describes it, if it is one. */
export const programOf = (side) => programNamed(game.about, game.players[side].kind);

const programNamed = (about, kind) => about.programs.find(({ name }) => kind === PROGRAM + name);

/** The pass that is legal in the position that is looked at, if there is one. */
export const passMove = () => game.view.moves.find((move) => move.pass);

/** What there is of a game beside the position that is looked at. */
const whole = () => {
  const { line, played, times, costs, values, names, marks, resigned, dropped } = game;
  return { line, played, times, costs, values, names, marks, resigned, dropped };
};

/** Gives up the moves after the position that is looked at. The game stays where `takeBack` and `begin` find it. */
function drop() {
  game.dropped = whole();
  [game.names, game.resigned] = [null, null];
  cut();
}

/** Forgets all that is of moves after the position that is looked at. */
function cut() {
  const { ply } = game;
  game.line = lineAt(ply);
  game.played = game.played.slice(0, ply);
  game.times = game.times.slice(0, ply);
  game.costs = game.costs.slice(0, ply);
  game.values = game.values.slice(0, ply + 1);
}

/** Whether this is no turn to play: of a game that was opened, or a machine's, with later moves to lose. */
export const isHeld = () => !isAtEnd() && (game.names !== null || !isPerson(game.view.side));

const mustPass = (view) => view.moves.length === 1 && view.moves[0].pass;

export const lineAt = (ply) => ({ ...game.line, moves: game.line.moves.slice(0, ply) });

/** A player as the server names it. */
export function spec({ kind, depth, seconds }) {
  const [, sees] = kind.split("sees:");
  if (sees) return `machine:depth=${Math.min(Number(sees), game.about.max_depth)}`;
  switch (kind) {
    case "depth": return `machine:depth=${depth}`;
    case "time": return `machine:time=${seconds}s`;
    case "perfect": return `machine:perfect,time=${Math.max(seconds, 1)}s`;
    default: return programNamed(game.about, kind)?.needs_depth ? `${kind},depth=${depth}` : kind;
  }
}

const views = new Map();
const MOST_VIEWS = 500;

/** What the server says of the position after all moves of `line`, the piece on `from` about to move. */
async function viewOf(line, from) {
  const key = JSON.stringify([line, from]);
  if (!views.has(key)) {
    const view = await api.position(line, from);
    if (views.size > MOST_VIEWS) views.clear();
    views.set(key, view);
  }
  return views.get(key);
}

/** The same after `ply` moves of the game. */
export const viewAt = (ply, from) => viewOf(lineAt(ply), from);

/** The number of what was last asked for: whatever was asked for earlier, and comes later, is dropped. */
let request = 0;

/** Ends what is under way for the sake of what is asked for now, and returns its number. */
function beginRequest() {
  stopThinking();
  request += 1;
  return request;
}

/** Looks at the position after `ply` moves. */
export async function go(ply) {
  const wanted = Math.max(0, Math.min(ply, game.line.moves.length));
  const mine = beginRequest();
  const view = await viewAt(wanted);
  if (mine !== request) return;
  game.ply = wanted;
  show(view);
}

function show(view, anew = false) {
  game.view = view;
  game.fault = "";
  game.isCutOff = false;
  game.forfeit = null;
  game.pausing = false;
  game.turnBegan = Date.now();
  keep(anew);
  changed(true);
  moveByItself();
}

function keep(anew) {
  const { games, name, start } = game.about;
  const { rules } = games.find((one) => one.name === name);
  store.toAddress(game.line, { rules, start: start.start }, game.ply, anew);
  store.ofPage.save("last", game.about.name);
  store.ofGame(game.about.name).save("game", { ...game.line, ply: game.ply, times: game.times, names: game.names, paused: game.paused, resigned: game.resigned });
}

/** What is said to who moves after somebody has given up. */
export const RESIGNED = "The game is over. “Undo” takes the resignation back.";

/** Makes a move in the position that is looked at; the moves that came after it are given up. */
export async function play(move, { cost = null, paused = false } = {}) {
  if (trial.judge?.(move)) return;
  if (resignedHere() !== null) throw new Error(RESIGNED);
  const mine = beginRequest();
  const line = lineAt(game.ply);
  const next = { ...line, moves: [...line.moves, move] };
  const view = await viewOf(next).catch((error) => {
    // Of a move that is tried, everybody knows its number.
    error.message = error.message.replace(/^move \d+[:,] /, "");
    throw error;
  });
  if (mine !== request) return;
  const played = view.played.at(-1).move;
  let isOther = false;
  // The same move again keeps what came after it.
  if (game.line.moves[game.ply] !== played) {
    const spent = cost?.wall_ms ?? (isAtEnd() ? Date.now() - game.turnBegan : 0);
    isOther = !isAtEnd();
    if (isOther) drop();
    else cut();
    game.line = { ...next, moves: [...line.moves, played] };
    game.played = view.played;
    game.times[game.ply] = spent;
    if (cost) game.costs[game.ply] = cost;
  }
  game.ply += 1;
  game.paused = paused;
  // The browser's way back leads to the game that was given up.
  show(view, isOther);
}

/**
 * Takes back that a side has given up, or goes back to the last turn before this one in which a person had a choice. With all moves since another game was
 * given up, that game is there again.
 */
export async function takeBack() {
  if (resignedHere() !== null) return unresign();
  if (!canTakeBack()) return;
  const mine = beginRequest();
  game.paused = true;
  let ply = isCut() ? game.ply : game.ply - 1;
  for (const hasPerson = [0, 1].some(isPerson); ply > 0 && hasPerson && !isCut(); ply -= 1) {
    const view = await viewAt(ply);
    if (mine !== request) return;
    if (isPerson(view.side) && !mustPass(view)) break;
  }
  restore(ply);
  await go(ply);
}

/** Whether later moves have been given up here, and none has been made since. */
const isCut = () => isAtEnd() && game.dropped !== null && sharedWith(game.dropped) === game.ply;

/** Whether there is something to take back. */
export const canTakeBack = () => game.ply > 0 || resignedHere() !== null || isCut();

/** Takes back that a side has given up. */
async function unresign() {
  game.paused = game.resigned.paused;
  game.resigned = null;
  await go(game.ply);
}

/** Takes the game back that was given up after `ply` moves or later. */
function restore(ply) {
  while (game.dropped && sharedWith(game.dropped) >= ply) Object.assign(game, game.dropped);
}

/** The number of moves that another game begins with as this one does. */
function sharedWith({ line: { moves } }) {
  const other = moves.findIndex((move, index) => move !== game.line.moves[index]);
  return other < 0 ? moves.length : other;
}

/** Lets the game go on from here; what came after is given up. */
export async function goOn() {
  const mine = beginRequest();
  const view = await viewAt(game.ply);
  if (mine !== request) return;
  const isOther = !isAtEnd();
  if (isOther) drop();
  game.paused = false;
  show(view, isOther);
}

/**
 * Begins another game; what `line` does not say is as usual: the game, its rules and its start. In a position
 * that was `sent`, machines wait.
 */
export async function begin(line, { ply = line.moves.length, times = [], names = null, anew = true, paused = false, resigned = null, sent = false } = {}) {
  const mine = beginRequest();
  const name = line.game ?? game.about.games[0].name;
  const isSame = game.about.name === name && game.about.rules === line.rules;
  const about = isSame ? game.about : await api.about(name, line.rules);
  const start = line.start ?? about.start.start;
  const next = { game: name, rules: about.rules, start, moves: line.moves };
  const at = Math.min(ply ?? next.moves.length, next.moves.length);
  const last = await viewOf(next);
  const view = await viewOf({ ...next, moves: next.moves.slice(0, at) });
  if (mine !== request) return;
  const { played } = last;
  const moves = played.map((one) => one.move);
  const isOther = !game.line || game.about.name !== name;
  await beforeGame();
  if (mine !== request) return;
  const isBack = game.dropped && JSON.stringify(game.dropped.line) === JSON.stringify({ ...next, moves });
  const fresh = { line: { ...next, moves }, played, times, costs: [], names, values: [], marks: new Map(), resigned, dropped: null };
  Object.assign(game, { about, ...(isBack ? game.dropped : fresh), ply: at });
  if (isOther) game.players = keptPlayers(name);
  const isBegun = moves.length > 0 || start !== about.start.start;
  game.paused = (paused || isBack || (sent && isBegun)) && !isPerson(last.side);
  show(view, anew);
}

let beforeGame = () => {};

/** Does this whenever another game is about to begin. */
export const onLeave = (action) => { beforeGame = action; };

/** The players who last played a game in this browser, as far as the server still has them. */
function keptPlayers(name) {
  const kept = store.ofGame(name).load("players", null);
  const isThere = (kind) => kinds().some(([, some]) => some.some(([known]) => known === kind));
  // What an older page has kept may lack a part.
  return PLAYERS.map((player, side) => {
    const known = isThere(kept?.[side]?.kind) ? kept[side] : {};
    return { ...player, ...known };
  });
}

/** The levels of machines that have a name: the moves that they look ahead. */
const LEVELS = [1, 2, 4, 6];

/** The kinds of players that there are, in groups, each with its name for people. */
export const kinds = () => [
  ["", [[PERSON, "Person"]]],
  ["Machine", [
    ["random", "Random moves"],
    ...LEVELS.map((moves) => [`sees:${moves}`, moves === 1 ? "Sees 1 move" : `Sees ${moves} moves`]),
    ...(game.about.perfect ? [["perfect", "Perfect"]] : []), ["time", "Thinks for"], ["depth", "Looks ahead"],
  ]],
  ["Program", game.about.programs.map(({ name }) => [PROGRAM + name, `${name}, program`])],
].filter(([, some]) => some.length);

let thought = null;

function stopThinking() {
  thought?.abort();
  thought = null;
  game.thinking = false;
}

/** Whether it is a machine's turn, and nobody holds it. */
export function isMachinesTurn() {
  return isAtEnd() && !game.paused && !isOver() && !isPerson(game.view.side);
}

/** Makes a move that no person has to choose: a machine's, or a pass that is the only move. */
async function moveByItself() {
  stopThinking();
  const isForced = isAtEnd() && !game.paused && !isOver() && mustPass(game.view);
  if (!isForced && !isMachinesTurn()) return changed();
  const mine = new AbortController();
  thought = mine;
  game.thinking = true;
  changed();
  try {
    const player = spec(game.players[game.view.side]);
    const chosen = isForced ? passMove() : await api.choice(game.line, player, mine.signal);
    if (thought !== mine) return;
    if (chosen.fault) return forfeit(chosen);
    const cost = chosen.wall_ms === undefined ? null : chosen;
    await play(chosen.move, { cost, paused: game.pausing });
  } catch (error) {
    if (thought !== mine) return;
    stopThinking();
    game.paused = true;
    fail(error);
  }
}

/** Shows how a program has lost, and holds the game. */
function forfeit({ fault }) {
  stopThinking();
  game.paused = true;
  game.forfeit = { name: programOf(game.view.side)?.name, side: game.view.side, fault };
  changed();
}

/** Gives up the game for a side. The moves stay, and the game may still go on. */
export function resign() {
  stopThinking();
  const side = isPerson(game.view.side) ? game.view.side : 1 - game.view.side;
  game.resigned = { side, paused: game.paused };
  game.fault = "";
  keep(false);
  changed(true);
}

/** A good move in the position that is looked at, from a machine that thinks for a second. */
export async function goodMove() {
  const { move } = await api.choice(lineAt(game.ply), "machine:time=1s");
  return game.view.moves.find((one) => one.move === move);
}

/** Holds a game between machines after the move that is being thought about. */
export function pause() {
  game.pausing = true;
  changed();
}

/** Changes the player of a side. */
export function setPlayer(side, player) {
  game.players[side] = player;
  game.paused = false;
  game.forfeit = null;
  game.names = null;
  store.ofGame(game.about.name).save("players", game.players);
  moveByItself();
}

export function fail(error) {
  if (error.name === "AbortError") return;
  game.fault = error.message;
  game.isCutOff = Boolean(error.isCutOff);
  if (game.view) changed();
}
