// The board of Max-Connect4: its rules, its score and its state file.
"use strict";

const ROWS = 6;
const COLUMNS = 7;
const EMPTY = 0;
const START_FILE = "0000000\r\n".repeat(ROWS) + "1\r\n";

// Right, up, and the two diagonals: rows are counted from the top.
const DIRECTIONS = [[0, 1], [1, 0], [1, 1], [1, -1]];

/** A position. Columns are numbered from 0 to 6, from the left. */
class Board {
  /**
   * Reads a state file: 42 cells, the top row first, then the next player. Blanks do not matter, nor
   * does what the lines end in; in the line protocol that is `/`.
   */
  constructor(text = START_FILE) {
    const digits = text.replace(/[\s/]/g, "");
    if (!/^[012]{42}[12]$/.test(digits)) {
      throw new Error("expected 6 lines of 7 digits 0, 1 or 2, and a line with the next player");
    }
    const cells = [...digits].map(Number);
    this.nextPlayer = cells.pop();
    this.rows = [];
    while (cells.length > 0) {
      this.rows.push(cells.splice(0, COLUMNS));
    }
  }

  /** The side to move, for people. */
  get toMove() {
    return `Player ${this.nextPlayer}`;
  }

  /** The text of a state file: that of the file `layout` with other digits in it. */
  toText(layout = START_FILE) {
    const digits = [...this.rows.flat(), this.nextPlayer];
    return layout.replace(/[012]/g, () => digits.shift());
  }

  /** The columns that are not full. */
  legalMoves() {
    return [...Array(COLUMNS).keys()].filter((column) => this.isLegal(column));
  }

  /** Returns true if there is room in a column. */
  isLegal(column) {
    return this.rows[0][column] === EMPTY;
  }

  /** The number of pieces on the board. */
  pieces() {
    return this.rows.flat().filter((cell) => cell !== EMPTY).length;
  }

  /** The next player drops a piece into a column that is not full. */
  play(column) {
    let row = ROWS - 1;
    while (this.rows[row][column] !== EMPTY) {
      row--;
    }
    this.rows[row][column] = this.nextPlayer;
    this.nextPlayer = 3 - this.nextPlayer;
  }

  /** Takes back the move that was made in this column. */
  undo(column) {
    let row = 0;
    while (this.rows[row][column] === EMPTY) {
      row++;
    }
    this.rows[row][column] = EMPTY;
    this.nextPlayer = 3 - this.nextPlayer;
  }

  /** The points of a player: one for every four in a row. */
  score(player) {
    const isFour = (row, column, [down, right]) =>
      [0, 1, 2, 3].every((i) => this.rows[row + i * down]?.[column + i * right] === player);
    let score = 0;
    for (let row = 0; row < ROWS; row++) {
      for (let column = 0; column < COLUMNS; column++) {
        score += DIRECTIONS.filter((direction) => isFour(row, column, direction)).length;
      }
    }
    return score;
  }

  /** The board as people look at it, with the score. */
  toString() {
    const border = " -----------------\n";
    const rows = this.rows.map((row) => ` | ${row.join(" ")} | \n`).join("");
    return `${border}${rows}${border}Score: Player 1 = ${this.score(1)}, Player 2 = ${this.score(2)}\n`;
  }
}

/** Reads the number of a column, from 1. Null if it is none. */
function parseMove(text) {
  return /^[1-7]$/.test(text) ? Number(text) - 1 : null;
}

/** Writes what `parseMove` reads. */
function formatMove(column) {
  return String(column + 1);
}

module.exports = { Board, formatMove, parseMove };
