"""The board of Kalah: its rules and its state file. A move is the index of an own pit, from 0."""

import re

PITS = 6
SEEDS = 4
# The symbols of 0, 1, 2 and so on up to 61 seeds.
SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
SIDES = "SN"
START_FILE = f"0{SYMBOLS[SEEDS] * PITS}\r\n{SYMBOLS[SEEDS] * PITS}0\r\nS\r\n"


class Board:
    """A position. `pits[side]` has the seeds of South, 0, or North, 1: the store is the last of them."""

    def __init__(self, text=START_FILE):
        """Reads a state file: the store and the pits of North, the pits and the store of South, who is next."""
        # Blanks do not matter, nor does what the lines end in. In the line protocol that is `/`.
        symbols = re.sub(r"[\s/]", "", text)
        if not re.fullmatch("[0-9a-zA-Z]{%d}[SN]" % (2 * (PITS + 1)), symbols):
            raise ValueError(f"expected 2 lines of {PITS + 1} symbols for seeds, and a line with S or N")
        seeds = [SYMBOLS.index(symbol) for symbol in symbols[:-1]]
        if sum(seeds) != 2 * PITS * SEEDS:
            raise ValueError(f"expected {2 * PITS * SEEDS} seeds, found {sum(seeds)}")
        self.pits = [seeds[PITS + 1 :], seeds[PITS::-1]]
        self.side = SIDES.index(symbols[-1])
        self.before = []

    @property
    def to_move(self):
        """The side to move, for people."""
        return ("South", "North")[self.side]

    def to_text(self, layout=START_FILE):
        """The text of a state file: that of the file `layout` with other symbols in it."""
        south, north = self.pits
        symbols = iter([SYMBOLS[seeds] for seeds in north[::-1] + south] + [SIDES[self.side]])
        return re.sub("[0-9a-zA-Z]", lambda _: next(symbols), layout)

    def margin(self):
        """The seeds in the store of the side to move, less those of the other."""
        return self.pits[self.side][PITS] - self.pits[1 - self.side][PITS]

    def legal_moves(self):
        """The own pits with seeds in them."""
        return [pit for pit in range(PITS) if self.pits[self.side][pit] > 0]

    def is_legal(self, pit):
        """Returns true if the side to move may sow the seeds of a pit."""
        return 0 <= pit < PITS and self.pits[self.side][pit] > 0

    def play(self, pit):
        """Sows the seeds of a pit. The side is the same afterwards if the last one fell into its store."""
        self.before.append(([row.copy() for row in self.pits], self.side))
        own, other = self.pits[self.side], self.pits[1 - self.side]
        seeds, own[pit] = own[pit], 0
        place = pit
        for _ in range(seeds):
            # The own pits, the own store, the pits of the other.
            place = (place + 1) % (2 * PITS + 1)
            if place <= PITS:
                own[place] += 1
            else:
                other[place - PITS - 1] += 1
        if place < PITS and own[place] == 1 and other[PITS - 1 - place] > 0:
            own[PITS] += 1 + other[PITS - 1 - place]
            own[place] = other[PITS - 1 - place] = 0
        if place != PITS:
            self.side = 1 - self.side
        if any(sum(row[:PITS]) == 0 for row in self.pits):
            self.pits = [[0] * PITS + [sum(row)] for row in self.pits]

    def undo(self, pit):
        """Takes back the last move."""
        self.pits, self.side = self.before.pop()

    def __str__(self):
        """The board as people look at it."""
        south, north = self.pits
        upper = " ".join(f"{seeds:2}" for seeds in north[PITS - 1 :: -1])
        lower = " ".join(f"{seeds:2}" for seeds in south[:PITS])
        return f"{north[PITS]:2} | {upper}\n   | {lower} | {south[PITS]:2}\n"


def parse_move(text):
    """Reads the number of a pit, from 1. None if it is none."""
    return int(text) - 1 if re.fullmatch("[1-9]", text) else None


def format_move(pit):
    """Writes what `parse_move` reads."""
    return str(pit + 1)
