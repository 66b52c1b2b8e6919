/* @title@, by the command lines of the assignment and by the line protocol. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "board.h"
#include "line.h"
#include "player.h"

/* Longer files are none. */
enum { LONGEST_FILE = 4096 };

static const char USAGE[] =
    "usage: @program@ one-move INPUT OUTPUT DEPTH\n"
    "       @program@ interactive INPUT computer-next|human-next DEPTH\n"
    "       @program@ line\n"
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
    const char *fault = board_read(&board, layout);
    if (fault != NULL) {
        fail(path, fault);
    }
    return board;
}

static bool is_over(const struct board *board) {
    int moves[MOST_MOVES];
    return board_legal_moves(board, moves) == 0;
}

static void move_computer(struct board *board, int depth, unsigned seed) {
    int move = choose_move(board, depth, seed);
    char text[LONGEST_MOVE];
    board_format_move(move, text);
    printf("%s plays %s\n\n", board_to_move(board), text);
    board_play(board, move);
}

/* Asks until the move is legal. False when there is nobody left to ask. */
static bool move_human(struct board *board) {
    char line[256];
    while (true) {
        printf("%s, your move: ", board_to_move(board));
        fflush(stdout);
        if (fgets(line, sizeof line, stdin) == NULL) {
            puts("\nNo more input.");
            return false;
        }
        const char *word = strtok(line, " \t\r\n");
        int move = word == NULL ? NO_MOVE : board_parse_move(word);
        if (move != NO_MOVE && board_is_legal(board, move)) {
            board_play(board, move);
            return true;
        }
        puts("That is not a legal move.");
    }
}

/* Reads a file, makes one move and writes the position after it in the same format. */
static void one_move(const char *input, const char *output, int depth, unsigned seed) {
    char layout[LONGEST_FILE];
    if (!read_file(input, layout)) {
        fail(input, "cannot read the file");
    }
    struct board board = read_board(input, layout);
    board_print(&board);
    if (is_over(&board)) {
        puts("There is no legal move: the game is over.");
        return;
    }
    move_computer(&board, depth, seed);
    board_print(&board);
    write_file(output, &board, layout);
}

/* Plays with a human until the game is over. Without the file it begins at the start. */
static void interactive(const char *input, bool computer_next, int depth, unsigned seed) {
    char layout[LONGEST_FILE];
    if (!read_file(input, layout)) {
        strcpy(layout, START_FILE);
    }
    struct board board = read_board(input, layout);
    const char *first = board_to_move(&board);
    board_print(&board);
    while (!is_over(&board)) {
        /* In some games a move keeps the turn. */
        bool is_computer = (strcmp(board_to_move(&board), first) == 0) == computer_next;
        if (is_computer) {
            move_computer(&board, depth, seed);
        } else if (!move_human(&board)) {
            return;
        }
        write_file(is_computer ? "computer.txt" : "human.txt", &board, layout);
        board_print(&board);
    }
    puts("There is no legal move: the game is over.");
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
