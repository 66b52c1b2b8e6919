"""Isolation: on a square board each side has one piece, which it first puts on any free square. Then a piece
moves like a queen in chess, and nobody may ever go to the square that it leaves. Who cannot move has lost.

`python3 isolation.py check` tests these rules; `python3 isolation.py 4` is the game on four by four squares.
"""

import sys

from rules import Rules, main

FREE, DEAD = ".", "#"
COLUMNS = "abcdefgh"


class Isolation(Rules):
    """A state is its own text: the rows joined by `/`, and behind them the symbol of the side to move."""

    name = "isolation"
    title = "Isolation"
    sides = ("Black", "White")
    hint = "a square such as b3"
    lessons = {
        "The aim": "Who cannot move has lost.",
        "A piece": "Each side has one piece, and first puts it on any free square. From then on it moves like a "
        "queen in chess: any number of free squares in a line.",
        "Dead squares": "Nobody may ever go to a square that a piece has left.",
    }

    def __init__(self, size=5):
        self.rule_set = f"{size}x{size}"
        self.board = (size, size)
        # Cells are places in the text, in which a row is one longer than the board.
        self.end = size * (size + 1)
        place = {(x, y): y * (size + 1) + x for y in range(size) for x in range(size)}
        self.names = {at: f"{COLUMNS[x]}{y + 1}" for (x, y), at in place.items()}
        self.places = {name: at for at, name in self.names.items()}
        steps = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
        self.rays = {}
        for (x, y), at in place.items():
            lines = [[(x + n * dx, y + n * dy) for n in range(1, size)] for dx, dy in steps]
            rays = [[place[square] for square in line if square in place] for line in lines]
            self.rays[at] = [ray for ray in rays if ray]
        self.beside = {at: [ray[0] for ray in rays] for at, rays in self.rays.items()}

    def start(self):
        columns, rows = self.board
        return (FREE * columns + "/") * rows + "X"

    def moves(self, state):
        at = state.find(state[-1], 0, self.end)
        names = self.names
        if at < 0:
            return [name for place, name in names.items() if state[place] == FREE]
        found = []
        for ray in self.rays[at]:
            for to in ray:
                if state[to] != FREE:
                    break
                found.append(names[to])
        return found

    def play(self, state, move):
        side = state[-1]
        at, to = state.find(side, 0, self.end), self.places[move]
        if at >= 0:
            state = state[:at] + DEAD + state[at + 1 :]
        return state[:to] + side + state[to + 1 : -1] + ("O" if side == "X" else "X")

    def outcome(self, state):
        at = state.find(state[-1], 0, self.end)
        if at < 0:
            # A position that was read may have no square left for the piece.
            return None if FREE in state else self.lost(state)
        for to in self.beside[at]:
            if state[to] == FREE:
                return None
        return self.lost(state)

    def lost(self, state):
        """Returns the result of a state in which the side to move has lost."""
        return 1 if state[-1] == "X" else 0

    def text(self, state):
        return state

    def read(self, text):
        columns, rows = self.board
        *board, side = text.split("/")
        if len(board) != rows or any(len(row) != columns for row in board):
            raise ValueError(f"expected {rows} rows of {columns} cells, then the side to move")
        if side not in ("X", "O"):
            raise ValueError(f"expected the side to move, X or O, found {side}")
        cells = "".join(board)
        if set(cells) - set("XO.#") or cells.count("X") > 1 or cells.count("O") > 1:
            raise ValueError("expected cells of . and #, one X and one O")
        return text

    # What a game may have beyond the six methods.

    def plies_left(self, state):
        return state.count(FREE)

    def score(self, state):
        """Ten hundredths for each free square beside a piece."""
        side, end = state[-1], self.end
        own = state.find(side, 0, end)
        other = state.find("O" if side == "X" else "X", 0, end)
        if own < 0 or other < 0:
            return 0
        beside = self.beside
        free = [state[to] for to in beside[own]].count(FREE)
        return 10 * (free - [state[to] for to in beside[other]].count(FREE))


if __name__ == "__main__":
    sizes = [int(word) for word in sys.argv[1:2] if word.isdigit()]
    main(Isolation(*sizes))
