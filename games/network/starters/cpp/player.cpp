// The player: this is the file to write in.

#include "player.h"

#include <random>

Move choose_move(Board& board, int /* depth */, unsigned seed) {
    // Your search begins here. `board` has legal_moves(), play(move) and undo(move). It does not know
    // what a network is: to find one is yours to write, too. Until then it plays at random.
    std::vector<Move> moves = board.legal_moves();
    std::mt19937 random(seed * 100 + board.count(Board::WHITE) + board.count(Board::BLACK));
    return moves[random() % moves.size()];
}
