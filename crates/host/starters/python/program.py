"""@title@, by a file exchange and by the line protocol."""

import argparse
import random
import sys

from board import Board, format_move
from line import talk
from player import choose_move


def main():
    args = parse_arguments()
    try:
        if args.mode == "one-move":
            one_move(args)
        else:
            talk(args.seed)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")


def parse_arguments():
    seeded = argparse.ArgumentParser(add_help=False)
    seeded.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="the same seed, the same moves")
    parser = argparse.ArgumentParser(description="Plays @title@")
    modes = parser.add_subparsers(dest="mode", required=True)
    one = modes.add_parser("one-move", parents=[seeded], help="read a file, make a move, write a file")
    one.add_argument("input")
    one.add_argument("output")
    one.add_argument("depth", type=int)
    modes.add_parser("line", parents=[seeded], help="answer a referee line by line")
    return parser.parse_args()


def one_move(args):
    """Reads a file, makes one move and writes the position after it in the same format."""
    # Without newline="" Python would forget what the lines end in.
    with open(args.input, newline="") as file:
        layout = file.read()
    board = Board(layout)
    print(board)
    if not board.legal_moves():
        print("There is no legal move: the game is over.")
        return
    move = choose_move(board, args.depth, args.seed)
    print(f"{board.to_move} plays {format_move(move)}\n")
    board.play(move)
    print(board)
    with open(args.output, "w", newline="") as file:
        file.write(board.to_text(layout))


if __name__ == "__main__":
    main()
