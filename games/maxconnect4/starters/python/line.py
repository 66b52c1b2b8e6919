"""The line protocol: a program that stays alive for a whole game, and answers line by line."""

import sys

from board import Board
from player import choose_move

# For a `go` that does not say how far to look ahead.
DEFAULT_DEPTH = 4


def talk(seed):
    """Answers the referee until it says `quit`. Lines that nobody knows are ignored."""
    board = Board()
    for line in sys.stdin:
        command, *words = line.split() or [""]
        if command == "newgame" and words[:2] != ["maxconnect4", "standard"]:
            say("info error: this game, or these rules, are not known")
        elif command == "protocol":
            say("protocol 1")
        elif command == "isready":
            say("readyok")
        elif command == "position":
            board = position(words)
        elif command == "go":
            say(f"bestmove {choose(board, words, seed) + 1}")
        elif command == "quit":
            return


def position(words):
    """The board that `position START moves M1 M2 ...` describes."""
    board = Board() if words[0] == "startpos" else Board(words[0])
    for move in words[2:]:
        if int(move) - 1 not in board.legal_moves():
            say(f"illegal {move}")
            break
        board.play(int(move) - 1)
    return board


def choose(board, limits, seed):
    """The move that `go LIMITS` asks for; of the limits only `depth N` counts here."""
    depth = int(limits[limits.index("depth") + 1]) if "depth" in limits else DEFAULT_DEPTH
    return choose_move(board, depth, seed)


def say(line):
    """Answers, at once: a line that waits in a buffer is one that nobody hears."""
    print(line, flush=True)
