#include "line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "player.h"

/* For a `go` that does not say how far to look ahead. */
enum { DEFAULT_DEPTH = @depth@ };

/* Of longer lines only the beginning counts. */
enum { LONGEST_LINE = 1 << 16 };

static const char BLANKS[] = " \t\r\n";

/* Answers, at once: a line that waits in a buffer is one that nobody hears. */
static void say(const char *line) {
    puts(line);
    fflush(stdout);
}

/* Reads a line. Of one that is too long, only the beginning. */
static bool read_line(char line[LONGEST_LINE]) {
    if (fgets(line, LONGEST_LINE, stdin) == NULL) {
        return false;
    }
    if (strchr(line, '\n') == NULL) {
        int symbol;
        while ((symbol = getchar()) != '\n' && symbol != EOF) {
        }
    }
    return true;
}

/* `newgame GAME RULES SIDE`: the words come from strtok. */
static void new_game(void) {
    const char *game = strtok(NULL, BLANKS);
    const char *rules = strtok(NULL, BLANKS);
    if (game == NULL || rules == NULL || strcmp(game, "@game@") != 0
        || strcmp(rules, "@rules@") != 0) {
        say("info error: this game, or these rules, are not known");
    }
}

/* `position START moves M1 M2 ...`. */
static void set_up(struct board *board) {
    const char *start = strtok(NULL, BLANKS);
    if (start == NULL || board_read(board, strcmp(start, "startpos") == 0 ? START_FILE : start) != NULL) {
        say("info error: cannot read the position");
        return;
    }
    strtok(NULL, BLANKS); /* `moves`, if there are any. */
    for (const char *word; (word = strtok(NULL, BLANKS)) != NULL;) {
        int move = board_parse_move(word);
        if (move == NO_MOVE || !board_is_legal(board, move)) {
            printf("illegal %s\n", word);
            return;
        }
        board_play(board, move);
    }
}

/* `go depth N`: other limits may stand beside it. */
static void go(struct board *board, unsigned seed) {
    int depth = DEFAULT_DEPTH;
    for (const char *word; (word = strtok(NULL, BLANKS)) != NULL;) {
        const char *number = strcmp(word, "depth") == 0 ? strtok(NULL, BLANKS) : NULL;
        if (number != NULL) {
            depth = atoi(number);
        }
    }
    char move[LONGEST_MOVE];
    board_format_move(choose_move(board, depth, seed), move);
    printf("bestmove %s\n", move);
    fflush(stdout);
}

void talk(unsigned seed) {
    static char line[LONGEST_LINE];
    struct board board;
    board_read(&board, START_FILE);
    while (read_line(line)) {
        const char *command = strtok(line, BLANKS);
        if (command == NULL) {
            continue;
        } else if (strcmp(command, "newgame") == 0) {
            new_game();
        } else if (strcmp(command, "protocol") == 0) {
            say("protocol 1");
        } else if (strcmp(command, "isready") == 0) {
            say("readyok");
        } else if (strcmp(command, "position") == 0) {
            set_up(&board);
        } else if (strcmp(command, "go") == 0) {
            go(&board, seed);
        } else if (strcmp(command, "quit") == 0) {
            return;
        }
    }
}
