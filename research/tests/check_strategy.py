#!/usr/bin/env python3
"""Checks a strategy for Network: python3 check_strategy.py FILE

Written from the rules of the game and from "The file of a strategy" in docs/network-solved.md alone, to
show that these suffice. Exits with 0 if the strategy is accepted, with 1 if it has a gap, and with 2 if
the file is none.
"""

import sys

DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
CORNERS = {(0, 0), (7, 0), (0, 7), (7, 7)}
PLACES = [(x, y) for y in range(8) for x in range(8) if (x, y) not in CORNERS]
CHIPS = 10
SHORTEST = 6
# All squares from a square on in each direction, nearest first.
RAYS = {
    (x, y): [
        [(x + i * dx, y + i * dy) for i in range(1, 8) if 0 <= x + i * dx < 8 and 0 <= y + i * dy < 8]
        for dx, dy in DIRECTIONS
    ]
    for x in range(8)
    for y in range(8)
}
# White owns the left and the right column, Black the top and the bottom row.
GOALS = {
    "W": ({(0, y) for y in range(1, 7)}, {(7, y) for y in range(1, 7)}),
    "B": ({(x, 0) for x in range(1, 7)}, {(x, 7) for x in range(1, 7)}),
}
OTHER = {"W": "B", "B": "W"}


class Gap(Exception):
    """What is wrong with a strategy."""


class NoStrategy(Exception):
    """What keeps a file from being a strategy."""


def network(board, color):
    """The chips of a network of the color, from goal to goal, or None. A board is a dict from the
    squares with chips to their colors."""
    first, second = GOALS[color]
    if not any(place in board for place in second):
        return None

    def extend(chain, came):
        for direction, ray in enumerate(RAYS[chain[-1]]):
            met = next((place for place in ray if place in board), None)
            if direction == came or met is None or board[met] != color or met in chain or met in first:
                continue
            if met in second:
                if len(chain) + 1 >= SHORTEST:
                    return chain + [met]
                continue
            found = extend(chain + [met], direction)
            if found:
                return found
        return None

    starts = (place for place in board if board[place] == color and place in first)
    return next(filter(None, (extend([start], None) for start in starts)), None)


def neighbors(board, place, color):
    return [ray[0] for ray in RAYS[place] if ray and board.get(ray[0]) == color]


def is_territory(place, color):
    """Whether the color may put chips there at all: not on a corner, nor in a goal of the other."""
    return place not in CORNERS and not any(place in goal for goal in GOALS[OTHER[color]])


def may_stand(board, place, color):
    """Whether a chip of the color may be put on the square."""
    if place in board or not is_territory(place, color):
        return False
    near = neighbors(board, place, color)
    # A group of three: two neighbors, or one that has a neighbor.
    return not near or (len(near) == 1 and not neighbors(board, near[0], color))


def moves(board, color, usf):
    """All legal moves as (origin, target) in the order of the walk; adds have no origin."""
    chips = [place for place in PLACES if board.get(place) == color]
    if len(chips) < CHIPS:
        return [(None, place) for place in PLACES if may_stand(board, place, color)]
    found = []
    for origin in chips:
        lifted = {place: chip for place, chip in board.items() if place != origin}
        for target in PLACES:
            if target != origin and may_stand(lifted, target, color):
                after = {**lifted, target: color}
                if not (usf and network(after, "W") and network(after, "B")):
                    found.append((origin, target))
    return found


def between(one, two):
    """The squares between two that are on a line."""
    ray = next(ray for ray in RAYS[one] if two in ray)
    return ray[: ray.index(two)]


class Checker:
    def __init__(self, heading, letters):
        words = heading.split(" ")
        if len(words) != 5 or words[0] != "network-strategy" or words[1] not in ("berkeley", "usf"):
            raise NoStrategy("line 1 is not the heading of a strategy")
        self.usf = words[1] == "usf"
        rows = words[4].split("/")
        if not words[3].isdigit() or len(rows) != 9 or any(len(row) != 8 for row in rows[:8]):
            raise NoStrategy("line 1 is not the heading of a strategy")
        self.chips, self.color = int(words[3]), rows[8][:1]
        if self.color not in ("W", "B") or words[2][:1] != self.color:
            raise NoStrategy("line 1 is not the heading of a strategy")
        self.start = {(x, y): rows[y][x] for y in range(8) for x in range(8) if rows[y][x] != "."}
        if not all(chip in OTHER and is_territory(place, chip) for place, chip in self.start.items()):
            raise NoStrategy("a chip stands where its color may not put it")
        crowded = any(not may_stand({p: c for p, c in self.start.items() if p != place}, place, color)
                      for place, color in self.start.items())
        is_over = network(self.start, "W") or network(self.start, "B") or not moves(self.start, self.color, self.usf)
        if crowded or is_over:
            raise NoStrategy("the game is over, or three chips of a color are in a group")
        self.answers = []
        for letter in letters:
            number = ord(letter) - 48
            if not 0 <= number < 64 or (number % 8, number // 8) in CORNERS:
                raise NoStrategy(f"{letter!r} stands for no square")
            self.answers.append((number % 8, number // 8))
        self.seen, self.played, self.replies, self.wins = set(), 0, 0, 0

    def count(self, board, color):
        return sum(chip == color for chip in board.values())

    def threats(self, board):
        """The adds by which the color wins, each with the network that it makes."""
        count = self.count(board, self.color)
        if count + 1 < SHORTEST or count >= min(self.chips, CHIPS):
            return []
        found = []
        for place in PLACES:
            if may_stand(board, place, self.color):
                made = network({**board, place: self.color}, self.color)
                if made:
                    found.append((place, made))
        return found

    def name(self, board):
        """The same for a position and its mirror images."""
        turns = [lambda x, y: (x, y), lambda x, y: (7 - x, y), lambda x, y: (x, 7 - y),
                 lambda x, y: (7 - x, 7 - y)]
        return min(tuple(sorted((*turn(*place), chip) for place, chip in board.items())) for turn in turns)

    def check(self):
        if not self.threats(self.start):
            self.position(self.start)
        if self.played < len(self.answers):
            raise Gap(f"{len(self.answers) - self.played} answers too many")

    def position(self, board):
        """A position with the color to move, in which it does not win at once."""
        name = self.name(board)
        if name in self.seen:
            return
        self.seen.add(name)
        if self.played == len(self.answers):
            raise Gap(f"no answer in {board}")
        answer = self.answers[self.played]
        self.played += 1
        if self.count(board, self.color) >= min(self.chips, CHIPS) or not may_stand(board, answer, self.color):
            raise Gap(f"answer {answer} is no good in {board}")
        after = {**board, answer: self.color}
        if network(after, OTHER[self.color]):
            raise Gap(f"answer {answer} is no good in {board}")
        if not network(after, self.color):
            self.reply(after)

    def reply(self, board):
        """A position with the opponent to move."""
        opponent = OTHER[self.color]
        threats = self.threats(board)
        # Where a chip takes the square of a threat, or stands between two chips of its network.
        parries = [
            {place}.union(*(between(one, two) for one, two in zip(made, made[1:])))
            for place, made in threats
        ]
        may_lose = self.count(board, opponent) + 1 >= SHORTEST
        for origin, target in moves(board, opponent, self.usf):
            self.replies += 1
            after = {place: chip for place, chip in board.items() if place != origin}
            after[target] = opponent
            if may_lose and network(after, opponent):
                raise Gap(f"the opponent wins by {origin} {target} in {board}")
            if origin is None:
                # A chip that is added opens no line, so no add wins that did not before.
                won = any(target not in squares for squares in parries) or any(
                    may_stand(after, place, self.color) and network({**after, place: self.color}, self.color)
                    for place, _ in threats
                )
            else:
                won = network(after, self.color) or self.threats(after)
            if won:
                self.wins += 1
            else:
                self.position(after)


def main(path):
    sys.setrecursionlimit(10_000)
    try:
        with open(path, encoding="ascii") as file:
            heading, _, rest = file.read().partition("\n")
        checker = Checker(heading.rstrip(), "".join(rest.split()))
    except (OSError, UnicodeDecodeError, NoStrategy) as fault:
        print(f"{path}: {fault}", file=sys.stderr)
        return 2
    try:
        checker.check()
    except Gap as gap:
        print(f"{path}: {gap}", file=sys.stderr)
        return 1
    print(f"Accepted, 0 gaps: {checker.played} answers, {checker.replies} replies, "
          f"{checker.wins} of them lost at once")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
