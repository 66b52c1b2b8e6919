"""Speaks the line protocol and takes the first column that is not full."""

import sys

ROWS, COLUMNS = 6, 7
moves = []
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:2] == ["position", "startpos"]:
        moves = words[3:]
    elif words[:1] == ["go"]:
        free = [c for c in range(1, COLUMNS + 1) if moves.count(str(c)) < ROWS]
        print("bestmove", free[0], flush=True)
    elif words[:1] == ["quit"]:
        break
