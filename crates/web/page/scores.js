// What a value says: the result of best play, a limit on it, or an estimate of it.

const WORDS = { exact: "exact", "at-least": "at least", "at-most": "at most", estimate: "estimate" };

const MEANINGS = {
  exact: "The result of best play",
  "at-least": "The result of best play is this or better",
  "at-most": "The result of best play is this or worse",
  estimate: "An estimate, which may be wrong",
};

/** The kind of a value as the table has it: that of an estimate is its depth. */
export const kind = ({ bound, depth }) => (bound === "estimate" ? `depth ${depth}` : WORDS[bound]);

export const meaning = ({ bound }) => MEANINGS[bound];

/** A value in words, to be read out. The sign of a bound says what it is. */
export const spoken = ({ bound, text }) =>
  (/[≥≤]/.test(text) ? text.replace("≥", "at least").replace("≤", "at most") : `${WORDS[bound]}: ${text}`);

/** Where the result may be from the value on, as the first side sees it: 1 up, -1 down, 0 neither. */
export function direction({ bound, side }) {
  const ahead = bound === "at-least" ? 1 : bound === "at-most" ? -1 : 0;
  return side === 0 ? ahead : -ahead;
}
