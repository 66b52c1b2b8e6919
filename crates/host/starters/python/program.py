"""@title@, by the command lines of the assignment and by the line protocol."""

import argparse
import random
import sys

from board import Board, format_move, parse_move
from line import talk
from player import choose_move


def main():
    args = parse_arguments()
    try:
        if args.mode == "one-move":
            one_move(args)
        elif args.mode == "interactive":
            interactive(args)
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
    many = modes.add_parser("interactive", parents=[seeded], help="play against a human")
    many.add_argument("input")
    many.add_argument("next", choices=["computer-next", "human-next"])
    many.add_argument("depth", type=int)
    modes.add_parser("line", parents=[seeded], help="answer a referee line by line")
    return parser.parse_args()


def one_move(args):
    """Reads a file, makes one move and writes the position after it in the same format."""
    layout = read(args.input)
    board = Board(layout)
    print(board)
    if not board.legal_moves():
        print("There is no legal move: the game is over.")
        return
    move_computer(board, args)
    print(board)
    write(args.output, board.to_text(layout))


def interactive(args):
    """Plays with a human until the game is over. Without the file it begins at the start."""
    try:
        layout = read(args.input)
        board = Board(layout)
    except FileNotFoundError:
        board = Board()
        layout = board.to_text()
    first, computer_next = board.to_move, args.next == "computer-next"
    print(board)
    while board.legal_moves():
        # In some games a move keeps the turn.
        is_computer = (board.to_move == first) == computer_next
        if is_computer:
            move_computer(board, args)
        elif not move_human(board):
            return
        write("computer.txt" if is_computer else "human.txt", board.to_text(layout))
        print(board)
    print("There is no legal move: the game is over.")


def move_computer(board, args):
    move = choose_move(board, args.depth, args.seed)
    print(f"{board.to_move} plays {format_move(move)}\n")
    board.play(move)


def move_human(board):
    """Asks until the move is legal. False when there is nobody left to ask."""
    while True:
        print(f"{board.to_move}, your move: ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            print("\nNo more input.")
            return False
        move = parse_move(line.strip())
        if move is not None and board.is_legal(move):
            board.play(move)
            return True
        print("That is not a legal move: " + " ".join(map(format_move, board.legal_moves())))


def read(path):
    # Without newline="" Python would forget what the lines end in.
    with open(path, newline="") as file:
        return file.read()


def write(path, text):
    with open(path, "w", newline="") as file:
        file.write(text)


if __name__ == "__main__":
    main()
