// Max-Connect4, by the command lines of the assignment and by the line protocol.
"use strict";

const fs = require("fs");
const readline = require("readline");
const { Board, EMPTY_FILE } = require("./board");
const { talk } = require("./line");
const { chooseMove } = require("./player");

const USAGE = `usage: node maxconnect4.js one-move INPUT OUTPUT DEPTH
       node maxconnect4.js interactive INPUT computer-next|human-next DEPTH
       node maxconnect4.js line
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
  console.log(`\nMaxConnect-4 game\ngame state before move:\n${board}`);
  if (board.legalMoves().length === 0) {
    console.log("BOARD FULL\n\nGame over!");
    return;
  }
  moveComputer(board, depth, seed);
  console.log(`game state after move:\n${board}`);
  fs.writeFileSync(output, board.toText(layout));
}

/** Plays with a human until the board is full, as the assignment says in eight steps. */
async function interactive(input, isComputerNext, depth, seed) {
  const layout = fs.existsSync(input) ? fs.readFileSync(input, "latin1") : EMPTY_FILE;
  const board = new Board(layout);
  const answers = inputLines()[Symbol.asyncIterator]();
  console.log(`${board}`);
  while (board.legalMoves().length > 0) {
    if (isComputerNext) {
      moveComputer(board, depth, seed);
    } else if (!(await moveHuman(board, answers))) {
      return;
    }
    fs.writeFileSync(isComputerNext ? "computer.txt" : "human.txt", board.toText(layout));
    console.log(`${board}`);
    isComputerNext = !isComputerNext;
  }
  console.log("BOARD FULL\n\nGame over!");
}

function moveComputer(board, depth, seed) {
  const column = chooseMove(board, depth, seed);
  console.log(`\nmove ${board.pieces() + 1}: Player ${board.nextPlayer}, column ${column + 1}`);
  board.play(column);
}

/** Asks until the move is valid. False when there is nobody left to ask. */
async function moveHuman(board, answers) {
  for (;;) {
    process.stdout.write(`Player ${board.nextPlayer}, choose a column (1-7): `);
    const { value, done } = await answers.next();
    if (done) {
      console.log("\nNo more input.");
      return false;
    }
    const column = board.legalMoves().find((column) => value.trim() === String(column + 1));
    if (column !== undefined) {
      board.play(column);
      return true;
    }
    console.log("That is not a column from 1 to 7 with room in it.");
  }
}

function inputLines() {
  return readline.createInterface({ input: process.stdin });
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});
