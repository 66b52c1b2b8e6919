// How squares and moves are written: in one of the game's notations at a time.

let system = 0;

export const setSystem = (number) => { system = number; };

/** A move as the user wants it written. */
export const notation = (move) => move.names[system] ?? move.move;

export const cellName = (layout, cell) => layout.names[cell][system] ?? layout.names[cell][0];

/** The labels around the board. Of two notations, the first has those above and to the left, the second the others. */
export function edges({ edges: all, notations }) {
  if (notations.length < 2) return all;
  return system === 0 ? { ...all, right: [], bottom: [] } : { top: all.bottom, left: all.right, right: [], bottom: [] };
}

/** A text of the game, in which squares have their names in the first notation. */
export function written(layout, text) {
  if (system === 0) return text;
  const names = new Map(layout.names.map((all) => [all[0], all[system] ?? all[0]]));
  return text.replace(/[\p{L}\d]+/gu, (word) => names.get(word) ?? word);
}
