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

/** The game that the address names, if any. */
export function fromAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (!parameters.has("rules")) return null;
  const moves = parameters.get("moves");
  return {
    game: parameters.get("game"),
    rules: parameters.get("rules"),
    start: parameters.get("start"),
    moves: moves ? moves.split(",") : [],
    ply: parameters.has("ply") ? Number(parameters.get("ply")) : null,
  };
}

/** Names the game in the address; `anew` keeps the one before for the browser's back button. */
export function toAddress({ game, rules, start, moves }, ply, anew) {
  const parameters = new URLSearchParams({ game, rules, start, moves: moves.join(",") });
  if (ply < moves.length) parameters.set("ply", ply);
  const hash = "#" + parameters.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  if (hash === location.hash) return;
  if (anew) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}
