// What outlives a reload: the game in the address, and a copy of it with the settings in the
// browser's storage.

let prefix = "plyground";

export function setName(name) {
  prefix = `plyground.${name}`;
}

/** Storage may be forbidden or full; the page works without. */
export function load(key, fallback, storage = localStorage) {
  try {
    return JSON.parse(storage.getItem(`${prefix}.${key}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

export function save(key, value, storage = localStorage) {
  try {
    storage.setItem(`${prefix}.${key}`, JSON.stringify(value));
  } catch {
    // See above.
  }
}

/** The game that the address names, if any. */
export function fromAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (!parameters.has("rules")) return null;
  const moves = parameters.get("moves");
  return {
    rules: parameters.get("rules"),
    start: parameters.get("start"),
    moves: moves ? moves.split(",") : [],
    ply: parameters.has("ply") ? Number(parameters.get("ply")) : null,
  };
}

/** Names the game in the address; `anew` keeps the one before for the browser's back button. */
export function toAddress({ rules, start, moves }, ply, anew) {
  const parameters = new URLSearchParams({ rules, start, moves: moves.join(",") });
  if (ply < moves.length) parameters.set("ply", ply);
  const hash = "#" + parameters.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  if (hash === location.hash) return;
  if (anew) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}
