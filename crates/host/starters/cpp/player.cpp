// The player: this is the file to write in.

#include "player.h"

#include <functional>
#include <random>

Move choose_move(Board& board, int /* depth */, unsigned seed) {
    // Your search begins here. `board` has legal_moves(), play(move), undo(move), and what is
    // yours to add. Until then it plays at random.
    std::vector<Move> moves = board.legal_moves();
    std::size_t hash = std::hash<std::string>()(board.to_text(Board::START_FILE));
    std::mt19937 random(static_cast<unsigned>(hash) ^ seed);
    return moves[random() % moves.size()];
}
