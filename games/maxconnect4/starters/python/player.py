"""The player: this is the file to write in."""

import random


def choose_move(board, depth, seed):
    """The column that the next player chooses, looking `depth` moves ahead.

    `depth` 1 means one's own move only. The same board, depth and seed give the same move.
    """
    # Your search begins here. `board` has legal_moves(), play(column), undo(column) and
    # score(player). Until then it plays at random.
    return random.Random(seed * 100 + board.pieces()).choice(board.legal_moves())
