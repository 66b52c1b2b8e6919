// Positions and games from files and into files.

import * as api from "./api.js";
import { $, download, h, say } from "./dom.js";
import { begin, fail, game, isPerson, programOf, spec } from "./game.js";
import { fold } from "./guide.js";
import * as store from "./store.js";

/** The games that were opened together. */
let opened = [];

/** Opens what is in the texts: positions, games, or the link of one. */
export async function openTexts(texts) {
  const link = texts.map(([, text]) => linkIn(text)).find(Boolean);
  if (link) {
    closeOpened();
    location.hash = link;
    return;
  }
  const found = [];
  for (const [name, text] of texts) found.push(...await gamesIn(name, text));
  if (!found.length) throw new Error("There is nothing to open.");
  opened = found;
  store.ofVisit.save("opened", opened);
  await show(0);
}

/** What a link says of a game, if the text has one. */
const linkIn = (text) => (isRecord(text) ? null : text.match(/#((?:game|rules|start|moves|ply)=\S+)/)?.[1]);

const isRecord = (text) => text.trimStart().startsWith("{");

async function gamesIn(name, text) {
  try {
    return (await api.open(game.line, text)).games;
  } catch (error) {
    if (error.isCutOff) throw error;
    const why = error.message.replace(/^(\d+):(?:(\d+):)? /, (_, line, place) => `line ${line}${place ? `, symbol ${place}` : ""}: `);
    const what = isRecord(text) ? "is a game record that cannot be read" : `is neither a position of ${game.about.title} nor a game record nor a link`;
    throw new Error(`${name || "This"} ${what} (${why}).`);
  }
}

/** The games that were opened before a reload. */
export function restoreOpened() {
  opened = store.ofVisit.load("opened", []);
  list();
}

async function show(index) {
  const { game: name, rules, start, moves, times, players, result } = opened[index];
  // A game is looked at from its beginning, and machines wait until they are asked.
  await begin({ game: name, rules, start, moves }, { ply: 0, times, names: players, paused: true });
  list(index);
  fold();
  const parts = [players?.map((player) => player.name).join(" – "), result, moves.length ? `${moves.length} moves; › steps through them` : "a position"];
  say($("hint"), `Opened: ${parts.filter(Boolean).join(", ")}.`);
}

const title = ({ players, result, moves }, index) =>
  `${index + 1}: ${players ? players.map((player) => player.name).join(" – ") : "position"} ${result ?? ""} (${moves.length})`;

function list(current = 0) {
  if (opened.length < 2) return $("games").replaceChildren();
  const select = h("select", { id: "game-choice" },
    ...opened.map((one, index) => h("option", { value: index, text: title(one, index), selected: index === current })));
  select.addEventListener("change", () => show(Number(select.value)).catch(fail));
  $("games").replaceChildren(h("label", {}, `Game of ${opened.length} `, select));
}

/** A new game closes those that were opened. */
export function closeOpened() {
  opened = [];
  store.ofVisit.save("opened", []);
  list();
}

export function saveState() {
  download(`${game.about.name}.txt`, game.view.state);
}

export async function saveGame() {
  const players = game.names ?? game.players.map((player, side) => ({
    name: isPerson(side) ? "person" : programOf(side)?.name ?? spec(player), player: spec(player),
  }));
  const times = game.line.moves.map((_, index) => Math.round(game.times[index] ?? 0));
  download(`${game.about.name}.jsonl`, await api.record(game.line, players, times));
}
