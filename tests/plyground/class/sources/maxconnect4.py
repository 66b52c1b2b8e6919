"""A submission in Python: one-move INPUT OUTPUT DEPTH."""

import sys

_, INPUT, OUTPUT, DEPTH = sys.argv[1:5]
COLUMNS, ROWS, HEIGHT = 7, 6, 7


def read():
    """The two sides' pieces as bits, column by column, and the next player."""
    lines = open(INPUT).read().split()
    pieces = [0, 0]
    for row, line in enumerate(lines[:ROWS]):
        for column in range(COLUMNS):
            if line[column] != "0":
                pieces[int(line[column]) - 1] |= 1 << (column * HEIGHT + ROWS - 1 - row)
    return pieces, int(lines[ROWS])


def write(pieces, turn):
    text = "".join(line + "\r\n" for line in lines(pieces) + [str(turn)])
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


def show(pieces):
    print(" -----------------")
    for line in lines(pieces):
        print(" |", *line, "|")
    print(" -----------------")
    print("Score: Player 1 = %d, Player 2 = %d\n" % (count(pieces[0]), count(pieces[1])))


def main():
    pieces, turn = read()
    print("MaxConnect-4 game\ngame state before move:")
    show(pieces)
    open_columns = dict(moves(pieces))
    if not open_columns:
        print("BOARD FULL")
        return
    column = search(pieces, turn - 1, int(DEPTH), -1000, 1000)[1]
    pieces[turn - 1] |= open_columns[column]
    print("move: Player %d, column %d" % (turn, column + 1))
    show(pieces)
    write(pieces, 3 - turn)


main()
