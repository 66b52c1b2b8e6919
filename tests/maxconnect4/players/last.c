/* Exchanges files, `last IN OUT`, and takes the last column that is not full. */

#include <stdio.h>

enum { ROWS = 6, COLUMNS = 7, CELLS = ROWS * COLUMNS };

int main(int argc, char **argv)
{
    int cells[CELLS + 1], count = 0, c;
    FILE *in = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (in == NULL)
        return 2;
    while (count <= CELLS && (c = getc(in)) != EOF)
        if (c >= '0' && c <= '2')
            cells[count++] = c;
    fclose(in);
    FILE *out = fopen(argv[2], "w");
    if (count <= CELLS || out == NULL)
        return 2;
    int column = COLUMNS - 1, row = ROWS - 1;
    while (column > 0 && cells[column] != '0')
        column--;
    while (row > 0 && cells[row * COLUMNS + column] != '0')
        row--;
    cells[row * COLUMNS + column] = cells[CELLS];
    cells[CELLS] = '1' + '2' - cells[CELLS];
    for (int cell = 0; cell <= CELLS; cell++) {
        putc(cells[cell], out);
        if (cell % COLUMNS == COLUMNS - 1 || cell == CELLS)
            putc('\n', out);
    }
    return fclose(out);
}
