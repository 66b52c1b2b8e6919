// The questions of the page. Each carries the whole game. What answers them is another module: a
// server, or a worker of the page without one.

import * as engine from "./engine.js";

/** The description of a game; without a name, of the first that there is. */
export const about = (game, rules) => engine.ask("game", { game, rules });

export const position = (game, from) => engine.ask("position", { game, from });

/** The last saying about programs. What it says of an earlier game must not come after the next game has begun. */
let said = Promise.resolve();

export async function choice(game, player, signal) {
  await said;
  return engine.search("choice", { game, player }, signal);
}

/** Says that this page is there and plays this game with these players; what the server says of those that are programs. */
export async function programs(game, players) {
  const answered = said.then(() => engine.search("programs", { game, players }));
  said = answered.then(() => {}, () => {});
  return answered;
}

/** Says, when there is no time for an answer, that this page no longer plays. */
export const leave = (game) => engine.leave("programs", { game, players: ["human", "human"] });

/** The tree of a search of the position after `ply` moves, as `tree.js` reads it. */
export const explain = (game, ply, asked) => engine.search("explain", { game, ply, search: asked });

/** Calls `onInfo` with what is known of the moves of the game: what each gave away, from the last to the first. */
export const review = (game, signal, onInfo) => engine.listen("review", { game }, signal, onInfo);

/** What our search says of the positions in which moves were made: `asked` has the plies and depths. */
export const beside = (game, asked) => engine.search("beside", { game, asked });

export const open = ({ game, rules }, text) => engine.ask("open", { game, rules, text });

export const record = async (game, players, times) =>
  (await engine.ask("record", { game, players, times })).text;

/** Calls `onInfo` with everything that the analysis of the position after `ply` moves finds. */
export const analysis = (game, ply, earlier, signal, onInfo) =>
  engine.listen("analysis", { game, ply, earlier }, signal, onInfo);
