"""The board of Max-Connect4: its rules, its score and its state file."""

import re

ROWS = 6
COLUMNS = 7
EMPTY = 0
EMPTY_FILE = "0000000\r\n" * ROWS + "1\r\n"

# Right, up, and the two diagonals: rows are counted from the top.
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (1, -1)]


class Board:
    """A position. Columns are numbered from 0 to 6, from the left."""

    def __init__(self, text=EMPTY_FILE):
        """Reads a state file: 42 cells, the top row first, then the next player."""
        # Blanks do not matter, nor does what the lines end in. In the line protocol that is `/`.
        digits = re.sub(r"[\s/]", "", text)
        if not re.fullmatch("[012]{42}[12]", digits):
            raise ValueError("expected 6 lines of 7 digits 0, 1 or 2, and a line with the next player")
        cells = [int(digit) for digit in digits]
        self.rows = [cells[row * COLUMNS : (row + 1) * COLUMNS] for row in range(ROWS)]
        self.next_player = cells[-1]

    def to_text(self, layout=EMPTY_FILE):
        """The text of a state file: that of the file `layout` with other digits in it."""
        digits = iter([cell for row in self.rows for cell in row] + [self.next_player])
        return re.sub("[012]", lambda _: str(next(digits)), layout)

    @property
    def to_move(self):
        """The side to move, for people."""
        return f"Player {self.next_player}"

    def legal_moves(self):
        """The columns that are not full."""
        return [column for column in range(COLUMNS) if self.rows[0][column] == EMPTY]

    def is_legal(self, column):
        """Returns true if the next player may drop a piece into a column."""
        return column in self.legal_moves()

    def pieces(self):
        """The number of pieces on the board."""
        return sum(cell != EMPTY for row in self.rows for cell in row)

    def play(self, column):
        """The next player drops a piece into a column that is not full."""
        row = max(row for row in range(ROWS) if self.rows[row][column] == EMPTY)
        self.rows[row][column] = self.next_player
        self.next_player = 3 - self.next_player

    def undo(self, column):
        """Takes back the move that was made in this column."""
        row = min(row for row in range(ROWS) if self.rows[row][column] != EMPTY)
        self.rows[row][column] = EMPTY
        self.next_player = 3 - self.next_player

    def score(self, player):
        """The points of a player: one for every four in a row."""
        return sum(
            all(self.cell(row + i * down, column + i * right) == player for i in range(4))
            for row in range(ROWS)
            for column in range(COLUMNS)
            for down, right in DIRECTIONS
        )

    def cell(self, row, column):
        """The contents of a cell: 0, 1 or 2; nothing beyond the edges."""
        return self.rows[row][column] if row < ROWS and 0 <= column < COLUMNS else None

    def __str__(self):
        """The board as people look at it, with the score."""
        border = " -----------------"
        rows = [" | " + " ".join(map(str, row)) + " | " for row in self.rows]
        score = f"Score: Player 1 = {self.score(1)}, Player 2 = {self.score(2)}\n"
        return "\n".join([border, *rows, border, score])


def parse_move(text):
    """Reads the number of a column, from 1. None if it is no move."""
    return int(text) - 1 if re.fullmatch("[0-9]+", text) else None


def format_move(column):
    """Writes what `parse_move` reads."""
    return str(column + 1)
