"""Max-Connect4, by the command lines of the assignment and by the line protocol."""

import argparse
import random
import sys

from board import EMPTY_FILE, Board
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
    parser = argparse.ArgumentParser(description="Plays Max-Connect4")
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
    print("\nMaxConnect-4 game\ngame state before move:")
    show(board)
    if not board.legal_moves():
        print("BOARD FULL\n\nGame over!")
        return
    move_computer(board, args)
    print("game state after move:")
    show(board)
    write(args.output, board.to_text(layout))


def interactive(args):
    """Plays with a human until the board is full, as the assignment says in eight steps."""
    try:
        layout = read(args.input)
    except FileNotFoundError:
        layout = EMPTY_FILE
    board = Board(layout)
    computer_next = args.next == "computer-next"
    show(board)
    while board.legal_moves():
        if computer_next:
            move_computer(board, args)
        elif not move_human(board):
            return
        write("computer.txt" if computer_next else "human.txt", board.to_text(layout))
        show(board)
        computer_next = not computer_next
    print("BOARD FULL\n\nGame over!")


def move_computer(board, args):
    column = choose_move(board, args.depth, args.seed)
    print(f"\nmove {board.pieces() + 1}: Player {board.next_player}, column {column + 1}")
    board.play(column)


def move_human(board):
    """Asks until the move is valid. False when there is nobody left to ask."""
    while True:
        print(f"Player {board.next_player}, choose a column (1-7): ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            print("\nNo more input.")
            return False
        if line.strip() in [str(column + 1) for column in board.legal_moves()]:
            board.play(int(line) - 1)
            return True
        print("That is not a column from 1 to 7 with room in it.")


def show(board):
    print(" -----------------")
    for row in board.rows:
        print(" |", *row, "| ")
    print(" -----------------")
    print(f"Score: Player 1 = {board.score(1)}, Player 2 = {board.score(2)}\n")


def read(path):
    # Without newline="" Python would forget what the lines end in.
    with open(path, newline="") as file:
        return file.read()


def write(path, text):
    with open(path, "w", newline="") as file:
        file.write(text)


if __name__ == "__main__":
    main()
