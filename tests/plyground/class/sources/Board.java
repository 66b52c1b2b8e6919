package a.player;

/** Rows from the top, as in the file. */
class Board {
    final char[] cells;

    Board(String cells) {
        this.cells = cells.toCharArray();
    }

    boolean isFull() {
        return new String(cells).indexOf('0') < 0;
    }

    /** Puts a piece into a column; where it is, or -1. */
    int drop(int column, int side) {
        for (int cell = 35 + column; cell >= 0; cell -= 7) {
            if (cells[cell] == '0') {
                cells[cell] = (char) ('1' + side);
                return cell;
            }
        }
        return -1;
    }

    int points(int side) {
        int points = 0;
        int[][] steps = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (int cell = 0; cell < 42; cell++) {
            for (int[] step : steps) {
                int row = cell / 7, column = cell % 7, length = 0;
                while (length < 4 && row < 6 && column >= 0 && column < 7
                        && cells[row * 7 + column] == '1' + side) {
                    length++;
                    row += step[0];
                    column += step[1];
                }
                points += length == 4 ? 1 : 0;
            }
        }
        return points;
    }

    String file(int next) {
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < 6; row++) {
            text.append(cells, row * 7, 7).append("\r\n");
        }
        return text + "" + next + "\r\n";
    }

    @Override
    public String toString() {
        return file(0).substring(0, 54) + "Score: Player 1 = " + points(0) + ", Player 2 = " + points(1) + "\n";
    }
}

/** Alpha-beta; the class is in the file of another, as students have it. */
class Search {
    private final Board board;
    private int found;

    Search(Board board) {
        this.board = board;
    }

    int best(int side, int depth) {
        search(side, depth, -1000, 1000, true);
        return found;
    }

    private int search(int side, int depth, int alpha, int beta, boolean isRoot) {
        int best = -1000;
        for (int column = 0; depth > 0 && column < 7; column++) {
            int cell = board.drop(column, side);
            if (cell < 0) {
                continue;
            }
            int value = -search(1 - side, depth - 1, -beta, -alpha, false);
            board.cells[cell] = '0';
            if (value > best) {
                best = value;
                found = isRoot ? column : found;
            }
            alpha = Math.max(alpha, best);
            if (alpha >= beta) {
                break;
            }
        }
        return best == -1000 ? board.points(side) - board.points(1 - side) : best;
    }
}
