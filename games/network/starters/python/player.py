"""The player: this is the file to write in."""

import random


def choose_move(board, depth, seed):
    """The move that the color to move chooses, looking `depth` moves ahead.

    `depth` 1 means one's own move only. The same board, depth and seed give the same move.
    """
    # Your search begins here. `board` has legal_moves(), play(move) and undo(move). It does not know
    # what a network is: to find one is yours to write, too. Until then it plays at random.
    return random.Random(seed * 100 + board.count()).choice(board.legal_moves())
