import java.util.ArrayList;
import java.util.List;

/**
 * The board of Max-Connect4: its rules, its score and its state file. A move is the number of a column,
 * from 0 to 6, from the left.
 */
class GameBoard {
    static final int ROWS = 6;
    static final int COLUMNS = 7;
    static final int EMPTY = 0;
    static final int NO_MOVE = -1;
    static final String START_FILE = "0000000\r\n".repeat(ROWS) + "1\r\n";

    /** Right, up, and the two diagonals: rows are counted from the top. */
    private static final int[][] DIRECTIONS = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};

    private final int[][] rows = new int[ROWS][COLUMNS];
    private int nextPlayer;

    /**
     * Reads a state file: 42 cells, the top row first, then the next player. Blanks do not matter,
     * nor does what the lines end in. In the line protocol that is {@code /}.
     */
    GameBoard(String text) {
        String digits = text.replaceAll("[\\s/]", "");
        if (!digits.matches("[012]{42}[12]")) {
            throw new IllegalArgumentException(
                    "expected 6 lines of 7 digits 0, 1 or 2, and a line with the next player");
        }
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            rows[i / COLUMNS][i % COLUMNS] = digits.charAt(i) - '0';
        }
        nextPlayer = digits.charAt(ROWS * COLUMNS) - '0';
    }

    /** The text of a state file: that of the file {@code layout} with other digits in it. */
    String toText(String layout) {
        StringBuilder text = new StringBuilder(layout);
        int cells = 0;
        for (int i = 0; i < text.length(); i++) {
            if ("012".indexOf(text.charAt(i)) < 0) {
                continue;
            }
            boolean isCell = cells < ROWS * COLUMNS;
            int digit = isCell ? rows[cells / COLUMNS][cells % COLUMNS] : nextPlayer;
            text.setCharAt(i, (char) ('0' + digit));
            cells++;
        }
        return text.toString();
    }

    /** Reads the number of a column, from 1; {@code NO_MOVE} if it is none. */
    static int parseMove(String text) {
        return text.matches("[1-7]") ? Integer.parseInt(text) - 1 : NO_MOVE;
    }

    /** Writes what {@code parseMove} reads. */
    static String formatMove(int column) {
        return String.valueOf(column + 1);
    }

    /** The side to move, for people. */
    String toMove() {
        return "Player " + nextPlayer;
    }

    /** 1 or 2. */
    int nextPlayer() {
        return nextPlayer;
    }

    /** Returns true if there is room in a column. */
    boolean isLegal(int column) {
        return rows[0][column] == EMPTY;
    }

    /** The columns that are not full. */
    List<Integer> legalMoves() {
        List<Integer> moves = new ArrayList<>();
        for (int column = 0; column < COLUMNS; column++) {
            if (isLegal(column)) {
                moves.add(column);
            }
        }
        return moves;
    }

    /** The number of pieces on the board. */
    int pieces() {
        int pieces = 0;
        for (int[] row : rows) {
            for (int cell : row) {
                pieces += cell == EMPTY ? 0 : 1;
            }
        }
        return pieces;
    }

    /** The next player drops a piece into a column that is not full. */
    void play(int column) {
        int row = ROWS - 1;
        while (rows[row][column] != EMPTY) {
            row--;
        }
        rows[row][column] = nextPlayer;
        nextPlayer = 3 - nextPlayer;
    }

    /** Takes back the move that was made in this column. */
    void undo(int column) {
        int row = 0;
        while (rows[row][column] == EMPTY) {
            row++;
        }
        rows[row][column] = EMPTY;
        nextPlayer = 3 - nextPlayer;
    }

    /** The points of a player: one for every four in a row. */
    int score(int player) {
        int score = 0;
        for (int row = 0; row < ROWS; row++) {
            for (int column = 0; column < COLUMNS; column++) {
                for (int[] direction : DIRECTIONS) {
                    score += isFour(player, row, column, direction[0], direction[1]) ? 1 : 0;
                }
            }
        }
        return score;
    }

    private boolean isFour(int player, int row, int column, int down, int right) {
        for (int i = 0; i < 4; i++) {
            if (cell(row + i * down, column + i * right) != player) {
                return false;
            }
        }
        return true;
    }

    /** The contents of a cell: 0, 1 or 2; -1 beyond the edges. */
    private int cell(int row, int column) {
        boolean isOnBoard = row < ROWS && 0 <= column && column < COLUMNS;
        return isOnBoard ? rows[row][column] : -1;
    }

    /** The board as people look at it, with the score. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(" -----------------\n");
        for (int[] row : rows) {
            text.append(" | ");
            for (int cell : row) {
                text.append(cell).append(' ');
            }
            text.append("| \n");
        }
        text.append(" -----------------\n");
        return text + "Score: Player 1 = " + score(1) + ", Player 2 = " + score(2) + "\n";
    }
}
