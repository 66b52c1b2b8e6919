"""The board of Network: Berkeley's rules about moves, and the state file.

A square is a pair (x, y): the column from the left and the row from the top, both from 0. A move is a
pair of squares (origin, target); the origin is None where a chip is added.
"""

import re

SIDE = 8
CHIPS = 10
EMPTY = "."
EMPTY_FILE = ("." * SIDE + "\r\n") * SIDE + "W\r\n"
SQUARES = [(x, y) for y in range(SIDE) for x in range(SIDE)]
NEIGHBORS = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]


class Board:
    """A position. The colors are "W" and "B". What a network is, it does not know: that is yours to write."""

    def __init__(self, text=EMPTY_FILE):
        """Reads a state file: 64 squares, the top row first, then the color to move."""
        # Blanks do not matter, nor does what the lines end in. In the line protocol that is `/`.
        symbols = re.sub(r"[\s/]", "", text)
        if not re.fullmatch("[.WB]{64}[WB]", symbols):
            raise ValueError("expected 8 lines of 8 symbols `.`, `W` or `B`, and a line with the color to move")
        self.chips = dict(zip(SQUARES, symbols))
        self.to_move = symbols[-1]

    def to_text(self, layout=EMPTY_FILE):
        """The text of a state file: that of the file `layout` with other symbols in it."""
        symbols = iter([*self.chips.values(), self.to_move])
        return re.sub("[.WB]", lambda _: next(symbols), layout)

    def in_hand(self, color):
        """The number of chips that are not on the board yet."""
        return CHIPS - sum(chip == color for chip in self.chips.values())

    def count(self):
        """The number of chips on the board."""
        return sum(chip != EMPTY for chip in self.chips.values())

    def legal_moves(self):
        """The moves of the color to move."""
        own = [square for square in SQUARES if self.chips[square] == self.to_move]
        origins = [None] if self.in_hand(self.to_move) > 0 else own
        moves = [(origin, target) for origin in origins for target in SQUARES]
        return [move for move in moves if self.is_legal(move)]

    def is_legal(self, move):
        """Returns true if the color to move may make a move."""
        origin, target = move
        if self.in_hand(self.to_move) > 0:
            return origin is None and self.may_stand(target)
        if origin == target or self.chips.get(origin) != self.to_move:
            return False
        self.chips[origin] = EMPTY
        is_legal = self.may_stand(target)
        self.chips[origin] = self.to_move
        return is_legal

    def may_stand(self, square):
        """Returns true if the color to move may put a chip on a square."""
        x, y = square
        # The edges that are the other's goals; the corners are on the edges of both.
        forbidden = y if self.to_move == "W" else x
        if self.chips.get(square) != EMPTY or forbidden in (0, SIDE - 1):
            return False
        friends = self.friends(square)
        return len(friends) == 0 or len(friends) == 1 and len(self.friends(friends[0])) == 0

    def friends(self, square):
        """The squares next to this one with a chip of the color to move."""
        x, y = square
        around = [(x + right, y + down) for right, down in NEIGHBORS]
        return [neighbor for neighbor in around if self.chips.get(neighbor) == self.to_move]

    def play(self, move):
        """Makes a legal move."""
        origin, target = move
        if origin is not None:
            self.chips[origin] = EMPTY
        self.chips[target] = self.to_move
        self.to_move = other(self.to_move)

    def undo(self, move):
        """Takes back the last move."""
        origin, target = move
        self.to_move = other(self.to_move)
        self.chips[target] = EMPTY
        if origin is not None:
            self.chips[origin] = self.to_move

    def __str__(self):
        """The board as people look at it."""
        rows = [" ".join(self.chips[x, y] for x in range(SIDE)) for y in range(SIDE)]
        return "\n".join(rows) + f"\n{self.to_move} is to move\n"


def other(color):
    return "B" if color == "W" else "W"


def parse_move(text):
    """Reads `34` or `34-56`. None if it is no move."""
    if not re.fullmatch("[0-7]{2}(-[0-7]{2})?", text):
        return None
    squares = [(int(square[0]), int(square[1])) for square in text.split("-")]
    return (None, squares[0]) if len(squares) == 1 else (squares[0], squares[1])


def format_move(move):
    """Writes what `parse_move` reads."""
    return "-".join(f"{square[0]}{square[1]}" for square in move if square is not None)
