// The player: this is the file to write in.

#include "player.h"

#include <random>

int choose_move(Board& board, int /* depth */, unsigned seed) {
    // Your search begins here. `board` has legal_moves(), play(column), undo(column) and
    // score(player). Until then it plays at random.
    std::vector<int> moves = board.legal_moves();
    std::mt19937 random(seed * 100 + board.pieces());
    return moves[random() % moves.size()];
}
