"""The player: this is the file to write in."""

import random


def choose_move(board, depth, seed):
    """The move that the side to move chooses, looking `depth` moves ahead.

    `depth` 1 means one's own move only. The same board, depth and seed give the same move.
    """
    # Your search begins here. `board` has legal_moves(), play(move), undo(move), and what is yours to
    # add. Until then it plays at random.
    return random.Random(f"{seed} {board.to_text()}").choice(board.legal_moves())
