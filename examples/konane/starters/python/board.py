"""The board of Konane: its rules and its state file.

A square is a pair (column, row), both from 0, from the upper left. A move is a pair of squares: from, and
to; or the same square twice, for a piece that is removed.
"""

import re

SIZE = 8
EMPTY = "."
SQUARES = [(x, y) for y in range(SIZE) for x in range(SIZE)]
START = "".join("XO"[(x + y) % 2] for x, y in SQUARES)
START_FILE = "".join(START[row * SIZE : (row + 1) * SIZE] + "\r\n" for row in range(SIZE)) + "X\r\n"
DIRECTIONS = [(1, 0), (-1, 0), (0, 1), (0, -1)]
OPENING = [(0, 0), (SIZE // 2 - 1, SIZE // 2 - 1), (SIZE // 2, SIZE // 2), (SIZE - 1, SIZE - 1)]


class Board:
    """A position. The sides are "X", which is black and begins, and "O"."""

    def __init__(self, text=START_FILE):
        """Reads a state file: the squares, the top row first, then the side to move."""
        # Blanks do not matter, nor does what the lines end in. In the line protocol that is `/`.
        symbols = re.sub(r"[\s/]", "", text)
        if not re.fullmatch("[.XO]{%d}[XO]" % SIZE**2, symbols):
            raise ValueError(f"expected {SIZE} lines of {SIZE} symbols `.`, `X` or `O`, and a line with X or O")
        if any(symbol not in (EMPTY, start) for symbol, start in zip(symbols, START)):
            raise ValueError("expected pieces on squares of their color")
        self.squares = dict(zip(SQUARES, symbols))
        self.to_move = symbols[-1]
        self.before = []

    def to_text(self, layout=START_FILE):
        """The text of a state file: that of the file `layout` with other symbols in it."""
        symbols = iter([*self.squares.values(), self.to_move])
        return re.sub("[.XO]", lambda _: next(symbols), layout)

    def legal_moves(self):
        """The moves of the side to move."""
        holes = [square for square in SQUARES if self.squares[square] == EMPTY]
        if not holes:
            return [(square, square) for square in OPENING if self.squares[square] == self.to_move]
        if len(holes) == 1:
            x, y = holes[0]
            beside = [(x + right, y + down) for right, down in DIRECTIONS]
            return [(square, square) for square in beside if self.squares.get(square) == self.to_move]
        own = [square for square in SQUARES if self.squares[square] == self.to_move]
        return [(square, to) for square in own for to in self.jumps(square)]

    def jumps(self, square):
        """The squares to which the piece on a square may jump."""
        x, y = square
        for right, down in DIRECTIONS:
            for step in range(2, SIZE, 2):
                over = (x + right * (step - 1), y + down * (step - 1))
                to = (x + right * step, y + down * step)
                if self.squares.get(to) != EMPTY or self.squares[over] == EMPTY:
                    break
                yield to

    def is_legal(self, move):
        """Returns true if the side to move may make a move."""
        return move in self.legal_moves()

    def play(self, move):
        """Makes a legal move."""
        self.before.append((self.squares.copy(), self.to_move))
        (x, y), (to_x, to_y) = move
        for square in SQUARES:
            if min(x, to_x) <= square[0] <= max(x, to_x) and min(y, to_y) <= square[1] <= max(y, to_y):
                self.squares[square] = EMPTY
        if move[0] != move[1]:
            self.squares[move[1]] = self.to_move
        self.to_move = "O" if self.to_move == "X" else "X"

    def undo(self, move):
        """Takes back the last move."""
        self.squares, self.to_move = self.before.pop()

    def __str__(self):
        """The board as people look at it."""
        rows = [" ".join(self.squares[x, y] for x in range(SIZE)) for y in range(SIZE)]
        return "\n".join(rows) + f"\n{self.to_move} is to move\n"


def parse_move(text):
    """Reads a square such as `d4`, or a jump such as `d3-d5`. None if it is no move."""
    if not re.fullmatch("[a-h][1-8](-[a-h][1-8])?", text):
        return None
    squares = [(ord(name[0]) - ord("a"), int(name[1]) - 1) for name in text.split("-")]
    return squares[0], squares[-1]


def format_move(move):
    """Writes what `parse_move` reads."""
    names = [f"{chr(ord('a') + x)}{y + 1}" for x, y in move]
    return names[0] if move[0] == move[1] else "-".join(names)
