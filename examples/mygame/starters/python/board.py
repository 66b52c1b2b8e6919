"""The board: its rules and its state file. A square is a pair (column, row), both from 0."""

import re

SIZE = 3
EMPTY = "."
SQUARES = [(x, y) for y in range(SIZE) for x in range(SIZE)]
EMPTY_FILE = (EMPTY * SIZE + "\r\n") * SIZE + "X\r\n"
LINES = (
    [[(x, y) for x in range(SIZE)] for y in range(SIZE)]
    + [[(x, y) for y in range(SIZE)] for x in range(SIZE)]
    + [[(i, i) for i in range(SIZE)], [(i, SIZE - 1 - i) for i in range(SIZE)]]
)


class Board:
    """A position. The sides are "X" and "O"."""

    def __init__(self, text=EMPTY_FILE):
        """Reads a state file: the squares, the top row first, then the side to move."""
        # Blanks do not matter, nor does what the lines end in. In the line protocol that is `/`.
        symbols = re.sub(r"[\s/]", "", text)
        if not re.fullmatch("[.XO]{%d}[XO]" % SIZE**2, symbols):
            raise ValueError("expected lines of symbols `.`, `X` or `O`, and a line with the side to move")
        self.squares = dict(zip(SQUARES, symbols))
        self.to_move = symbols[-1]

    def to_text(self, layout=None):
        """The text of a state file: that of the file `layout` with other symbols in it."""
        symbols = iter([*self.squares.values(), self.to_move])
        return re.sub("[.XO]", lambda _: next(symbols), layout or EMPTY_FILE)

    def is_over(self):
        """Returns true if a side has a row, or all squares are taken."""
        rows = [{self.squares[square] for square in line} for line in LINES]
        return {"X"} in rows or {"O"} in rows or EMPTY not in self.squares.values()

    def is_legal(self, move):
        """Returns true if the side to move may make a move."""
        return self.squares.get(move) == EMPTY and not self.is_over()

    def legal_moves(self):
        """The moves of the side to move."""
        return [move for move in SQUARES if self.is_legal(move)]

    def play(self, move):
        """Makes a legal move."""
        self.squares[move] = self.to_move
        self.to_move = other(self.to_move)

    def undo(self, move):
        """Takes back the last move."""
        self.squares[move] = EMPTY
        self.to_move = other(self.to_move)

    def __str__(self):
        """The board as people look at it."""
        rows = [" ".join(self.squares[x, y] for x in range(SIZE)) for y in range(SIZE)]
        return "\n".join(rows) + f"\n{self.to_move} is to move\n"


def other(side):
    return "O" if side == "X" else "X"


def parse_move(text):
    """Reads a square such as `b2`. None if it is no move."""
    if not re.fullmatch("[a-c][1-3]", text):
        return None
    return ord(text[0]) - ord("a"), int(text[1]) - 1


def format_move(move):
    """Writes what `parse_move` reads."""
    return "abc"[move[0]] + str(move[1] + 1)
