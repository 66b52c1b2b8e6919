"""A submission for one-move mode in one of the ways in which students write it.

student.py WAY one-move INPUT OUTPUT DEPTH
"""

import random
import sys

WAY, _, INPUT, OUTPUT, DEPTH = sys.argv[1:6]
COLUMNS, ROWS, HEIGHT = 7, 6, 7


def read():
    """The two sides' pieces as bits, column by column, and the next player."""
    data = open(INPUT, "rb").read()
    if WAY == "lf-reader":
        # Takes every eighth byte for a line end and whatever is left for the next player.
        rows = [data[8 * row : 8 * row + 7].decode() for row in range(ROWS)]
        turn = int(data[48:])
    else:
        lines = data.decode().split()
        rows, turn = lines[:ROWS], int(lines[ROWS])
    pieces = [0, 0]
    for row, line in enumerate(rows):
        for column in range(COLUMNS):
            if line[column] != "0":
                pieces[int(line[column]) - 1] |= 1 << (column * HEIGHT + ROWS - 1 - row)
    return pieces, turn


def write(pieces, turn):
    end = "\n" if WAY in ("lf-writer", "lf-reader") else "\r\n"
    text = end.join(lines(pieces) + [str(turn)])
    if WAY != "no-last-end":
        text += end
    open(OUTPUT, "wb").write(text.encode())


def lines(pieces):
    def cell(column, row):
        bit = 1 << (column * HEIGHT + row)
        return "1" if pieces[0] & bit else "2" if pieces[1] & bit else "0"

    return ["".join(cell(column, row) for column in range(COLUMNS)) for row in range(ROWS - 1, -1, -1)]


def count(bits):
    """The points of a side."""
    fours = (bits & bits >> step & bits >> 2 * step & bits >> 3 * step for step in (1, 6, 7, 8))
    return sum(bin(four).count("1") for four in fours)


def moves(pieces):
    taken = pieces[0] | pieces[1]
    for column in (3, 2, 4, 1, 5, 0, 6):
        bits = taken >> column * HEIGHT & 63
        if bits != 63:
            yield column, (bits + 1) << column * HEIGHT


def search(pieces, side, depth, alpha, beta):
    best, found = -1000, None
    if depth > 0:
        for column, bit in moves(pieces):
            after = list(pieces)
            after[side] |= bit
            value = -search(after, 1 - side, depth - 1, -beta, -alpha)[0]
            if value > best:
                best, found = value, column
            alpha = max(alpha, best)
            if alpha >= beta:
                break
    if found is None:
        return count(pieces[side]) - count(pieces[1 - side]), None
    return best, found


def choose(pieces, turn):
    depth = int(DEPTH) + {"one-less": -1, "one-more": 1}.get(WAY, 0)
    at_random = random.Random("".join(lines(pieces))).choice([column for column, _ in moves(pieces)])
    if WAY == "starter":
        return at_random
    if WAY == "table":
        # The answers that a friend was shown.
        answers = dict(line.split() for line in open(__file__.replace("student.py", "answers.txt")))
        return int(answers.get("".join(lines(pieces)), at_random + 1)) - 1
    found = search(pieces, turn - 1, depth, -1000, 1000)[1]
    return at_random if found is None else found


def show(pieces):
    if WAY == "counts-up":
        print(*range(70))
        return
    print(" -----------------")
    for line in lines(pieces):
        print(" |", *line, "|")
    print(" -----------------")
    print("Score: Player 1 = %d, Player 2 = %d\n" % (count(pieces[0]), count(pieces[1])))


def main():
    if WAY == "crash":
        raise RuntimeError("no such board")
    pieces, turn = read()
    print("MaxConnect-4 game\ngame state before move:")
    show(pieces)
    open_columns = dict(moves(pieces))
    if not open_columns:
        print("BOARD FULL")
        if WAY == "writes-full":
            write(pieces, turn)
        return
    column = choose(pieces, turn)
    pieces[turn - 1] |= open_columns[column]
    print("move: Player %d, column %d" % (turn, column + 1))
    if WAY != "says-once":
        show(pieces)
    write(pieces, 3 - turn)


main()
