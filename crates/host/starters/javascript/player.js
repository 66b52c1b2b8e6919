// The player: this is the file to write in.
"use strict";

/**
 * The move that the side to move chooses, looking `depth` moves ahead; 1 means one's own move only.
 * The same board, depth and seed give the same move.
 */
function chooseMove(board, depth, seed) {
  // Your search begins here. `board` has legalMoves(), play(move), undo(move), and what is yours
  // to add. Until then it plays at random.
  const moves = board.legalMoves();
  return moves[randomNumber(`${seed} ${board.toText()}`) % moves.length];
}

/** A number below 2 to the power of 32 that has nothing to do with the text, to all appearance. */
function randomNumber(text) {
  let bits = 0x811c9dc5;
  for (const symbol of text) {
    bits = Math.imul(bits ^ symbol.codePointAt(0), 0x01000193);
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

module.exports = { chooseMove };
