// The player.

#ifndef PLAYER_H
#define PLAYER_H

#include "board.h"

// The move that the side to move chooses, looking `depth` moves ahead; 1 means one's own move only.
// The same board, depth and seed give the same move.
Move choose_move(Board& board, int depth, unsigned seed);

#endif
