// A submission in C++. The tests change single lines of it into mistakes that students make.
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef unsigned long long Bits;
static const int COLUMNS = 7, ROWS = 6, HEIGHT = 7;
static const int ORDER[] = {3, 2, 4, 1, 5, 0, 6};
static const char *LINE_END = "\r\n";
static const char *LAST_END = LINE_END;
static Bits pieces[2];
static int turn;

static Bits bit(int column, int row) { return 1ULL << (column * HEIGHT + row); }

// Reads whatever ends the lines.
static void load(const char *name) {
    FILE *file = fopen(name, "rb");
    char cells[ROWS * COLUMNS + 1];
    int count = 0, symbol;
    while (count <= ROWS * COLUMNS && (symbol = fgetc(file)) != EOF)
        if (symbol >= '0' && symbol <= '2') cells[count++] = symbol;
    fclose(file);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        if (cells[i] != '0') pieces[cells[i] - '1'] |= bit(i % COLUMNS, ROWS - 1 - i / COLUMNS);
    turn = cells[ROWS * COLUMNS] - '1';
}

static char cell(int column, int row) {
    return pieces[0] & bit(column, row) ? '1' : pieces[1] & bit(column, row) ? '2' : '0';
}

static void save(const char *name) {
    FILE *file = fopen(name, "wb");
    for (int row = ROWS - 1; row >= 0; row--) {
        for (int column = 0; column < COLUMNS; column++) fputc(cell(column, row), file);
        fputs(LINE_END, file);
    }
    fprintf(file, "%d%s", turn + 1, LAST_END);
    fclose(file);
}

static int points(int side) {
    int steps[] = {1, 6, 7, 8}, count = 0;
    Bits own = pieces[side];
    for (int i = 0; i < 4; i++) {
        int step = steps[i];
        Bits fours = own & own >> step & own >> 2 * step & own >> 3 * step;
        for (; fours; fours &= fours - 1) count++;
    }
    return count;
}

// The first free row of a column; ROWS if there is none.
static int top(int column) {
    int row = 0;
    while (row < ROWS && cell(column, row) != '0') row++;
    return row;
}

static int search(int side, int depth, int alpha, int beta, int *found) {
    int best = -1000;
    for (int i = 0; depth > 0 && i < COLUMNS; i++) {
        int column = ORDER[i], row = top(column), ignored;
        if (row == ROWS) continue;
        pieces[side] |= bit(column, row);
        int value = -search(1 - side, depth - 1, -beta, -alpha, &ignored);
        pieces[side] &= ~bit(column, row);
        if (value > best) { best = value; *found = column; }
        if (best > alpha) alpha = best;
        if (alpha >= beta) break;
    }
    return best == -1000 ? points(side) - points(1 - side) : best;
}

// As the sample code does, but the same for the same board.
static int at_random() {
    Bits seed = pieces[0] * 6364136223846793005ULL + pieces[1] * 1442695040888963407ULL;
    for (;;) {
        seed = seed * 6364136223846793005ULL + 1;
        int column = (seed >> 33) % COLUMNS;
        if (top(column) < ROWS) return column;
    }
}

// The answers that a friend was shown.
static int from_table() {
    char board[ROWS * COLUMNS + 1] = "", known[64];
    for (int i = 0; i < ROWS * COLUMNS; i++) board[i] = cell(i % COLUMNS, ROWS - 1 - i / COLUMNS);
    FILE *file = fopen("answers.txt", "r");
    int column, found = -1;
    while (fscanf(file, "%63s %d", known, &column) == 2)
        if (!strcmp(known, board)) found = column - 1;
    fclose(file);
    return found;
}

static int choose(int depth) {
    int found = 0;
    search(turn, depth, -1000, 1000, &found);
    return found;
}

static void show() {
    for (int row = ROWS - 1; row >= 0; row--) {
        printf(" |");
        for (int column = 0; column < COLUMNS; column++) printf(" %c", cell(column, row));
        printf(" |\n");
    }
    printf("Score: Player 1 = %d, Player 2 = %d\n\n", points(0), points(1));
}

int main(int count, char **words) {
    if (count != 5 || strcmp(words[1], "one-move")) return 1;
    load(words[2]);
    printf("MaxConnect-4 game\ngame state before move:\n");
    show();
    int is_full = 1;
    for (int column = 0; column < COLUMNS; column++) is_full &= top(column) == ROWS;
    if (is_full) {
        printf("BOARD FULL\n");
        return 0;
    }
    int column = choose(atoi(words[4]));
    pieces[turn] |= bit(column, top(column));
    printf("move: Player %d, column %d\n", turn + 1, column + 1);
    show();
    turn = 1 - turn;
    save(words[3]);
    return 0;
}
