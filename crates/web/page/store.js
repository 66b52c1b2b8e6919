// What outlives a reload: the game in the address, and a copy of it with the settings in the
// browser's storage.

/** A part of a storage. Storage may be forbidden or full; the page works without. */
const part = (storage, prefix) => ({
  load(key, fallback) {
    try {
      return JSON.parse(storage().getItem(`${prefix}.${key}`)) ?? fallback;
    } catch {
      return fallback;
    }
  },
  save(key, value) {
    try {
      storage().setItem(`${prefix}.${key}`, JSON.stringify(value));
    } catch {
      // See above.
    }
  },
});

/** What belongs to the game of this name. */
export const ofGame = (name) => part(() => localStorage, `plyground.${name}`);

/** What belongs to all games. */
export const ofPage = part(() => localStorage, "plyground");

/** What belongs to all games until the page is closed. */
export const ofVisit = part(() => sessionStorage, "plyground");

const PARAMETERS = ["game", "rules", "start", "moves", "ply"];

/** The game that the address names, or `null` if it names none. What it cannot mean is an error. */
export function fromAddress() {
  const hash = location.hash.slice(1);
  // The address may also be that of a place on the page.
  if (!hash || document.getElementById(hash)) return null;
  const parameters = new URLSearchParams(hash);
  const names = Array.from(parameters.keys());
  const wrong = names.find((name, index) => !PARAMETERS.includes(name) || names.indexOf(name) !== index);
  if (wrong !== undefined) throw new Error(`expected ${PARAMETERS.join(", ")}, each at most once, found \`${wrong}\``);
  const moves = parameters.get("moves");
  const line = {
    game: parameters.get("game"),
    rules: parameters.get("rules"),
    start: parameters.get("start"),
    moves: moves ? moves.split(",") : [],
  };
  return { ...line, ply: plyOf(parameters.get("ply"), line.moves.length) };
}

function plyOf(text, last) {
  if (text === null) return null;
  const ply = /^\d+$/.test(text) ? Number(text) : Infinity;
  if (ply > last) throw new Error(`expected ply=N, the number of moves made, from 0 to ${last}, found \`${text}\``);
  return ply;
}

/**
 * Names the game in the address, without what is usual: the rules and the first position. `anew` keeps the
 * one before for the browser's back button.
 */
export function toAddress({ game, rules, start, moves }, usual, ply, anew) {
  const parameters = new URLSearchParams({ game });
  if (rules !== usual.rules) parameters.set("rules", rules);
  if (start !== usual.start) parameters.set("start", start);
  if (moves.length) parameters.set("moves", moves.join(","));
  if (ply < moves.length) parameters.set("ply", ply);
  const hash = "#" + parameters.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  if (hash === location.hash) return;
  if (anew) history.pushState(OWN, "", hash);
  else history.replaceState(OWN, "", hash);
}

/** The state of entries in the browser's history that this page has made. */
const OWN = { own: true };
