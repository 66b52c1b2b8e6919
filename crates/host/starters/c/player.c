/* The player: this is the file to write in. */

#include "player.h"

#include <stdlib.h>
#include <string.h>

/* A number that has nothing to do with those for other boards or seeds, to all appearance. */
static unsigned random_number(const struct board *board, unsigned seed) {
    char text[] = START_FILE;
    board_write(board, text);
    unsigned hash = 2166136261u ^ seed;
    for (size_t i = 0; i < strlen(text); i++) {
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    }
    srand(hash);
    return (unsigned)rand();
}

int choose_move(struct board *board, int depth, unsigned seed) {
    /* Your search begins here: board.h says what there is for it. Until then it plays at random. */
    (void)depth;
    int moves[MOST_MOVES];
    int count = board_legal_moves(board, moves);
    return moves[random_number(board, seed) % (unsigned)count];
}
