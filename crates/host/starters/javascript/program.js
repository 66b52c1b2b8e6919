// @title@, by the command lines of the assignment and by the line protocol.
"use strict";

const fs = require("fs");
const readline = require("readline");
const { Board, formatMove, parseMove } = require("./board");
const { talk } = require("./line");
const { chooseMove } = require("./player");

const USAGE = `usage: node @program@.js one-move INPUT OUTPUT DEPTH
       node @program@.js interactive INPUT computer-next|human-next DEPTH
       node @program@.js line
and at the end, perhaps, --seed N: the same seed, the same moves`;

async function main(words) {
  const seed = takeSeed(words);
  const [mode, ...rest] = words;
  if (mode === "one-move" && rest.length === 3) {
    oneMove(rest[0], rest[1], Number(rest[2]), seed);
  } else if (mode === "interactive" && rest.length === 3) {
    await interactive(rest[0], rest[1] === "computer-next", Number(rest[2]), seed);
  } else if (mode === "line" && rest.length === 0) {
    await talk(inputLines(), seed);
  } else {
    console.error(USAGE);
    process.exitCode = 2;
  }
  // Node would wait for more input otherwise.
  process.stdin.destroy();
}

/** Takes `--seed N` out of the words; without it, every run is another. */
function takeSeed(words) {
  const place = words.indexOf("--seed");
  return place < 0 ? Date.now() % 1_000_000 : Number(words.splice(place, 2)[1]);
}

/** Reads a file, makes one move and writes the position after it in the same format. */
function oneMove(input, output, depth, seed) {
  const layout = fs.readFileSync(input, "latin1");
  const board = new Board(layout);
  console.log(`${board}`);
  if (board.legalMoves().length === 0) {
    console.log("There is no legal move: the game is over.");
    return;
  }
  moveComputer(board, depth, seed);
  console.log(`${board}`);
  fs.writeFileSync(output, board.toText(layout));
}

/** Plays with a human until the game is over. Without the file it begins at the start. */
async function interactive(input, isComputerNext, depth, seed) {
  const layout = fs.existsSync(input) ? fs.readFileSync(input, "latin1") : new Board().toText();
  const board = new Board(layout);
  const first = board.toMove;
  const answers = inputLines()[Symbol.asyncIterator]();
  console.log(`${board}`);
  while (board.legalMoves().length > 0) {
    // In some games a move keeps the turn.
    const isComputer = (board.toMove === first) === isComputerNext;
    if (isComputer) {
      moveComputer(board, depth, seed);
    } else if (!(await moveHuman(board, answers))) {
      return;
    }
    fs.writeFileSync(isComputer ? "computer.txt" : "human.txt", board.toText(layout));
    console.log(`${board}`);
  }
  console.log("There is no legal move: the game is over.");
}

function moveComputer(board, depth, seed) {
  const move = chooseMove(board, depth, seed);
  console.log(`${board.toMove} plays ${formatMove(move)}\n`);
  board.play(move);
}

/** Asks until the move is legal. False when there is nobody left to ask. */
async function moveHuman(board, answers) {
  for (;;) {
    process.stdout.write(`${board.toMove}, your move: `);
    const { value, done } = await answers.next();
    if (done) {
      console.log("\nNo more input.");
      return false;
    }
    const move = parseMove(value.trim());
    if (move !== null && board.isLegal(move)) {
      board.play(move);
      return true;
    }
    console.log("That is not a legal move.");
  }
}

function inputLines() {
  return readline.createInterface({ input: process.stdin });
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});
