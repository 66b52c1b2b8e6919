// The line protocol: a program that stays alive for a whole game, and answers line by line.
"use strict";

const { Board, formatMove, parseMove } = require("./board");
const { chooseMove } = require("./player");

/** For a `go` that does not say how far to look ahead. */
const DEFAULT_DEPTH = @depth@;

/** Answers the referee until it says `quit`. Lines that nobody knows are ignored. */
async function talk(lines, seed) {
  let board = new Board();
  for await (const line of lines) {
    const [command, ...words] = line.trim().split(/\s+/);
    switch (command) {
      case "newgame":
        if (words[0] !== "@game@" || words[1] !== "@rules@") {
          console.log("info error: this game, or these rules, are not known");
        }
        break;
      case "protocol":
        console.log("protocol 1");
        break;
      case "isready":
        console.log("readyok");
        break;
      case "position":
        board = position(words);
        break;
      case "go":
        console.log(`bestmove ${formatMove(chooseMove(board, depthOf(words), seed))}`);
        break;
      case "quit":
        return;
    }
  }
}

/** The board that `position START moves M1 M2 ...` describes. */
function position([start, , ...moves]) {
  const board = start === "startpos" ? new Board() : new Board(start);
  for (const text of moves) {
    const move = parseMove(text);
    if (move === null || !board.isLegal(move)) {
      console.log(`illegal ${text}`);
      break;
    }
    board.play(move);
  }
  return board;
}

/** How far `go depth N` says to look ahead; other limits may stand beside it. */
function depthOf(words) {
  const place = words.indexOf("depth");
  return place < 0 ? DEFAULT_DEPTH : Number(words[place + 1]);
}

module.exports = { talk };
