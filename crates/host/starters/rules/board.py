"""The board, by the rules in @rules_file@."""

import re
import runpy
import sys
from pathlib import Path

import rules


def _game():
    """The object that @rules_file@ gives to `main`."""
    found = []
    run, arguments = rules.main, sys.argv
    rules.main, sys.argv = found.append, [@arguments@]
    try:
        runpy.run_path(str(Path(__file__).with_name(sys.argv[0])), run_name="__main__")
    finally:
        rules.main, sys.argv = run, arguments
    return found[0]


GAME = _game()
MOVES = r"[^\s/.,]+"


class Board:
    """A position, with those before it."""

    def __init__(self, text=None):
        """Reads a state file; the start without one."""
        # Blanks do not matter, nor does what the lines end in. In the line protocol that is `/`.
        lines = ["".join(line.split()) for line in re.split("[\n/]", text or "")]
        word = "/".join(line for line in lines if line)
        self.states = [GAME.read(word) if text is not None else GAME.start()]

    @property
    def state(self):
        """The state, as the methods of the rules take it."""
        return self.states[-1]

    @property
    def side(self):
        """The side to move, 0 or 1."""
        return GAME.turn(self.state)

    @property
    def to_move(self):
        """The side to move, for people."""
        return GAME.sides[self.side] if GAME.sides else f"Player {self.side + 1}"

    def to_text(self, layout=""):
        """The text of a state file, with the blanks and line ends of the file `layout`."""
        rows = GAME.text(self.state).replace("/", "\n").split()
        symbols = "".join(rows)
        if len("".join(layout.split())) != len(symbols):
            return "".join(row + "\r\n" for row in rows)
        rest = iter(symbols)
        return re.sub(r"\S", lambda _: next(rest), layout)

    def outcome(self):
        """None while the game goes on, then the side that has won, or a draw."""
        return GAME.outcome(self.state)

    def points(self):
        """The points of both sides so far, in a game of points."""
        return GAME.points(self.state)

    def legal_moves(self):
        """The moves of the side to move, a word each."""
        return GAME.moves(self.state) if self.outcome() is None else []

    def is_legal(self, move):
        """Returns true if the side to move may make a move."""
        return move in self.legal_moves()

    def play(self, move):
        """Makes a legal move."""
        self.states.append(GAME.play(self.state, move))

    def undo(self, move):
        """Takes back the last move."""
        self.states.pop()

    def __str__(self):
        """The board as people look at it."""
        return GAME.show(self.state).replace("/", "\n") + "\n"


def parse_move(text):
    """Reads a move. None if it is none."""
    return text if re.fullmatch(MOVES, text) else None


def format_move(move):
    """Writes what `parse_move` reads."""
    return move
