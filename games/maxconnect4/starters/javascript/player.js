// The player: this is the file to write in.
"use strict";

/**
 * The column that the next player chooses, looking `depth` moves ahead; 1 means one's own move only.
 * The same board, depth and seed give the same move.
 */
function chooseMove(board, depth, seed) {
  // Your search begins here. `board` has legalMoves(), play(column), undo(column) and score(player).
  // Until then it plays at random.
  const moves = board.legalMoves();
  return moves[randomNumber(seed * 100 + board.pieces()) % moves.length];
}

/** A number below 2 to the power of 32 that has nothing to do with its seed, to all appearance. */
function randomNumber(seed) {
  let bits = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

module.exports = { chooseMove };
