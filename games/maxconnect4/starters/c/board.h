/* The board of Max-Connect4: its rules, its score and its state file. */

#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>

enum { ROWS = 6, COLUMNS = 7, EMPTY = 0 };

/* A move is the number of a column, from 0 to 6, from the left. */
enum { NO_MOVE = -1, MOST_MOVES = COLUMNS, LONGEST_MOVE = 12 };

/* The state file of the start, without a piece. */
#define START_FILE "0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n0000000\r\n1\r\n"

struct board {
    int cells[ROWS][COLUMNS]; /* The top row first. */
    int next_player;          /* 1 or 2. */
};

/* Reads a state file: 42 cells, the top row first, then the next player. Blanks do not matter, nor
 * does what the lines end in; in the line protocol that is `/`. NULL, or what was expected. */
const char *board_read(struct board *board, const char *text);

/* Makes the text of a state file the one of this board: its digits become others. */
void board_write(const struct board *board, char *text);

/* The side to move, for people. */
const char *board_to_move(const struct board *board);

/* Reads the number of a column, from 1. NO_MOVE if it is none. */
int board_parse_move(const char *text);

/* Writes what board_parse_move reads. */
void board_format_move(int column, char text[LONGEST_MOVE]);

/* Returns true if there is room in a column. */
bool board_is_legal(const struct board *board, int column);

/* Fills in the columns that are not full, and returns how many they are. */
int board_legal_moves(const struct board *board, int moves[MOST_MOVES]);

/* The number of pieces on the board. */
int board_pieces(const struct board *board);

/* The next player drops a piece into a column that is not full. */
void board_play(struct board *board, int column);

/* Takes back the move that was made in this column. */
void board_undo(struct board *board, int column);

/* The points of a player: one for every four in a row. */
int board_score(const struct board *board, int player);

/* Prints the board and the score. */
void board_print(const struct board *board);

#endif
