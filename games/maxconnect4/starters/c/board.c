#include "board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char symbol) {
    return symbol >= '0' && symbol <= '2';
}

const char *board_read(struct board *board, const char *text) {
    static const char EXPECTED[] =
        "expected 6 lines of 7 digits 0, 1 or 2, and a line with the next player";
    int count = 0;
    for (; *text != '\0'; text++) {
        if (strchr(" \t\r\n/", *text) != NULL) {
            continue;
        }
        if (!is_digit(*text) || count > ROWS * COLUMNS) {
            return EXPECTED;
        }
        int digit = *text - '0';
        if (count < ROWS * COLUMNS) {
            board->cells[count / COLUMNS][count % COLUMNS] = digit;
        } else {
            board->next_player = digit;
        }
        count++;
    }
    bool is_whole = count == ROWS * COLUMNS + 1 && board->next_player != 0;
    return is_whole ? NULL : EXPECTED;
}

void board_write(const struct board *board, char *text) {
    int count = 0;
    for (; *text != '\0'; text++) {
        if (is_digit(*text)) {
            bool is_cell = count < ROWS * COLUMNS;
            int digit = is_cell ? board->cells[count / COLUMNS][count % COLUMNS] : board->next_player;
            *text = (char)('0' + digit);
            count++;
        }
    }
}

const char *board_to_move(const struct board *board) {
    return board->next_player == 1 ? "Player 1" : "Player 2";
}

int board_parse_move(const char *text) {
    char *end;
    long column = strtol(text, &end, 10);
    return *end == '\0' && 1 <= column && column <= COLUMNS ? (int)column - 1 : NO_MOVE;
}

void board_format_move(int column, char text[LONGEST_MOVE]) {
    snprintf(text, LONGEST_MOVE, "%d", column + 1);
}

bool board_is_legal(const struct board *board, int column) {
    return 0 <= column && column < COLUMNS && board->cells[0][column] == EMPTY;
}

int board_legal_moves(const struct board *board, int moves[MOST_MOVES]) {
    int count = 0;
    for (int column = 0; column < COLUMNS; column++) {
        if (board_is_legal(board, column)) {
            moves[count++] = column;
        }
    }
    return count;
}

int board_pieces(const struct board *board) {
    int pieces = 0;
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            pieces += board->cells[row][column] != EMPTY;
        }
    }
    return pieces;
}

void board_play(struct board *board, int column) {
    int row = ROWS - 1;
    while (board->cells[row][column] != EMPTY) {
        row--;
    }
    board->cells[row][column] = board->next_player;
    board->next_player = 3 - board->next_player;
}

void board_undo(struct board *board, int column) {
    int row = 0;
    while (board->cells[row][column] == EMPTY) {
        row++;
    }
    board->cells[row][column] = EMPTY;
    board->next_player = 3 - board->next_player;
}

static bool is_four(const struct board *board, int player, int row, int column, int down, int right) {
    for (int i = 0; i < 4; i++) {
        int y = row + i * down;
        int x = column + i * right;
        if (y >= ROWS || x < 0 || x >= COLUMNS || board->cells[y][x] != player) {
            return false;
        }
    }
    return true;
}

int board_score(const struct board *board, int player) {
    int score = 0;
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            /* Right, up, and the two diagonals: rows are counted from the top. */
            score += is_four(board, player, row, column, 0, 1);
            score += is_four(board, player, row, column, 1, 0);
            score += is_four(board, player, row, column, 1, 1);
            score += is_four(board, player, row, column, 1, -1);
        }
    }
    return score;
}

void board_print(const struct board *board) {
    puts(" -----------------");
    for (int row = 0; row < ROWS; row++) {
        printf(" | ");
        for (int column = 0; column < COLUMNS; column++) {
            printf("%d ", board->cells[row][column]);
        }
        puts("| ");
    }
    puts(" -----------------");
    printf("Score: Player 1 = %d, Player 2 = %d\n\n", board_score(board, 1), board_score(board, 2));
}
