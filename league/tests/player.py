import sys

moves = []
for line in sys.stdin:
    words = line.split() or [""]
    if words[0] == "protocol":
        print("protocol 1", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        moves = words[3:]
    elif words[0] == "go":
        print("bestmove", next(column for column in "4352617" if moves.count(column) < 6), flush=True)
    elif words[0] == "quit":
        break
