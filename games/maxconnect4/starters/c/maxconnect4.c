/* Max-Connect4, by the command lines of the assignment and by the line protocol. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "board.h"
#include "line.h"
#include "player.h"

/* State files are 57 bytes. Longer ones are none. */
enum { LONGEST_FILE = 4096 };

static const char USAGE[] =
    "usage: maxconnect4 one-move INPUT OUTPUT DEPTH\n"
    "       maxconnect4 interactive INPUT computer-next|human-next DEPTH\n"
    "       maxconnect4 line\n"
    "and at the end, perhaps, --seed N: the same seed, the same moves\n";

static void fail(const char *path, const char *why) {
    fprintf(stderr, "error: %s: %s\n", path, why);
    exit(1);
}

/* Reads a file as it is. False if there is none. */
static bool read_file(const char *path, char text[LONGEST_FILE]) {
    FILE *file = fopen(path, "rb"); /* Binary, or some systems would change what the lines end in. */
    if (file == NULL) {
        return false;
    }
    size_t length = fread(text, 1, LONGEST_FILE - 1, file);
    text[length] = '\0';
    fclose(file);
    return true;
}

/* Writes the board in the format of the file that was read. */
static void write_file(const char *path, const struct board *board, const char *layout) {
    char text[LONGEST_FILE];
    strcpy(text, layout);
    board_write(board, text);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fputs(text, file) == EOF || fclose(file) == EOF) {
        fail(path, "cannot write the file");
    }
}

static struct board read_board(const char *path, const char *layout) {
    struct board board;
    if (!board_read(&board, layout)) {
        fail(path, "expected 6 lines of 7 digits 0, 1 or 2, and a line with the next player");
    }
    return board;
}

static bool is_full(const struct board *board) {
    return board_pieces(board) == ROWS * COLUMNS;
}

static void move_computer(struct board *board, int depth, unsigned seed) {
    int column = choose_move(board, depth, seed);
    int number = board_pieces(board) + 1;
    printf("\nmove %d: Player %d, column %d\n", number, board->next_player, column + 1);
    board_play(board, column);
}

/* Asks until the move is valid. False when there is nobody left to ask. */
static bool move_human(struct board *board) {
    char line[256];
    while (true) {
        printf("Player %d, choose a column (1-7): ", board->next_player);
        fflush(stdout);
        if (fgets(line, sizeof line, stdin) == NULL) {
            puts("\nNo more input.");
            return false;
        }
        char *end;
        long column = strtol(line, &end, 10) - 1;
        while (isspace((unsigned char)*end)) {
            end++;
        }
        if (*end == '\0' && column < COLUMNS && board_is_legal(board, (int)column)) {
            board_play(board, (int)column);
            return true;
        }
        puts("That is not a column from 1 to 7 with room in it.");
    }
}

/* Reads a file, makes one move and writes the position after it in the same format. */
static void one_move(const char *input, const char *output, int depth, unsigned seed) {
    char layout[LONGEST_FILE];
    if (!read_file(input, layout)) {
        fail(input, "cannot read the file");
    }
    struct board board = read_board(input, layout);
    puts("\nMaxConnect-4 game\ngame state before move:");
    board_print(&board);
    if (is_full(&board)) {
        puts("BOARD FULL\n\nGame over!");
        return;
    }
    move_computer(&board, depth, seed);
    puts("game state after move:");
    board_print(&board);
    write_file(output, &board, layout);
}

/* Plays with a human until the board is full, as the assignment says in eight steps. */
static void interactive(const char *input, bool computer_next, int depth, unsigned seed) {
    char layout[LONGEST_FILE];
    if (!read_file(input, layout)) {
        strcpy(layout, EMPTY_FILE);
    }
    struct board board = read_board(input, layout);
    board_print(&board);
    while (!is_full(&board)) {
        if (computer_next) {
            move_computer(&board, depth, seed);
        } else if (!move_human(&board)) {
            return;
        }
        write_file(computer_next ? "computer.txt" : "human.txt", &board, layout);
        board_print(&board);
        computer_next = !computer_next;
    }
    puts("BOARD FULL\n\nGame over!");
}

int main(int argc, char **argv) {
    unsigned seed = (unsigned)time(NULL);
    if (argc >= 4 && strcmp(argv[argc - 2], "--seed") == 0) {
        seed = (unsigned)strtoul(argv[argc - 1], NULL, 10);
        argc -= 2;
    }
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "one-move") == 0 && argc == 5) {
        one_move(argv[2], argv[3], atoi(argv[4]), seed);
    } else if (strcmp(mode, "interactive") == 0 && argc == 5) {
        interactive(argv[2], strcmp(argv[3], "computer-next") == 0, atoi(argv[4]), seed);
    } else if (strcmp(mode, "line") == 0 && argc == 2) {
        talk(seed);
    } else {
        fputs(USAGE, stderr);
        return 2;
    }
    return 0;
}
