"""The line protocol: a program that stays alive for a whole game, and answers line by line."""

import sys

from board import Board, format_move, parse_move
from player import choose_move

# For a `go` that does not say how far to look ahead.
DEFAULT_DEPTH = @depth@


def talk(seed):
    """Answers the referee until it says `quit`. Lines that nobody knows are ignored."""
    board = Board()
    for line in sys.stdin:
        command, *words = line.split() or [""]
        if command == "newgame" and words[:2] != ["@game@", "@rules@"]:
            say("info error: this game, or these rules, are not known")
        elif command == "protocol":
            say("protocol 1")
        elif command == "isready":
            say("readyok")
        elif command == "position":
            board = position(words)
        elif command == "go":
            say("bestmove " + format_move(choose(board, words, seed)))
        elif command == "quit":
            return


def position(words):
    """The board that `position START moves M1 M2 ...` describes."""
    board = Board() if words[0] == "startpos" else Board(words[0])
    for text in words[2:]:
        move = parse_move(text)
        if move is None or not board.is_legal(move):
            say(f"illegal {text}")
            break
        board.play(move)
    return board


def choose(board, limits, seed):
    """The move that `go LIMITS` asks for; of the limits only `depth N` counts here."""
    depth = int(limits[limits.index("depth") + 1]) if "depth" in limits else DEFAULT_DEPTH
    return choose_move(board, depth, seed)


def say(line):
    """Answers, at once: a line that waits in a buffer is one that nobody hears."""
    print(line, flush=True)
