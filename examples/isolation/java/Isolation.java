import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Isolation on five by five squares: each side has one piece, which it first puts on any free square. Then a
 * piece moves like a queen in chess, and nobody may ever go to the square that it leaves. Who cannot move has
 * lost. A state is its own text.
 */
public final class Isolation extends Rules<String> {
    private static final int SIZE = 5;

    public static void main(String[] arguments) throws IOException {
        new Isolation().serve();
    }

    @Override
    public List<String> description() {
        return List.of(
                "name isolation",
                "rule-set 5x5",
                "title Isolation",
                "sides Black White",
                "board 5 5 XO",
                "hint a square such as b3",
                "lesson The aim: Who cannot move has lost.",
                "lesson A piece: Each side has one piece, and first puts it on any free square. From then on it moves"
                        + " like a queen in chess: any number of free squares in a line.",
                "lesson Dead squares: Nobody may ever go to a square that a piece has left.");
    }

    @Override
    public String start() {
        return (".".repeat(SIZE) + "/").repeat(SIZE) + "X";
    }

    /** Returns the place of a cell in the text, in which a row is one longer than the board. */
    private static int place(int column, int row) {
        return row * (SIZE + 1) + column;
    }

    private static boolean isFree(String state, int column, int row) {
        boolean isOnBoard = column >= 0 && column < SIZE && row >= 0 && row < SIZE;
        return isOnBoard && state.charAt(place(column, row)) == '.';
    }

    /** Returns the place of the piece of the side to move, or -1 before it is on the board. */
    private static int pieceToMove(String state) {
        return state.substring(0, state.length() - 1).indexOf(state.charAt(state.length() - 1));
    }

    private static String name(int column, int row) {
        return "" + (char) ('a' + column) + (row + 1);
    }

    @Override
    public List<String> moves(String state) {
        List<String> moves = new ArrayList<>();
        int at = pieceToMove(state);
        for (int dx = -1; at >= 0 && dx <= 1; dx++) {
            for (int dy = -1; dy <= 1; dy++) {
                int column = at % (SIZE + 1) + dx;
                int row = at / (SIZE + 1) + dy;
                for (; isFree(state, column, row); column += dx, row += dy) {
                    moves.add(name(column, row));
                }
            }
        }
        for (int cell = 0; at < 0 && cell < SIZE * SIZE; cell++) {
            if (isFree(state, cell % SIZE, cell / SIZE)) {
                moves.add(name(cell % SIZE, cell / SIZE));
            }
        }
        return moves;
    }

    @Override
    public String play(String state, String move) {
        StringBuilder after = new StringBuilder(state);
        int at = pieceToMove(state);
        if (at >= 0) {
            after.setCharAt(at, '#');
        }
        char side = state.charAt(state.length() - 1);
        after.setCharAt(place(move.charAt(0) - 'a', Integer.parseInt(move.substring(1)) - 1), side);
        after.setCharAt(state.length() - 1, side == 'X' ? 'O' : 'X');
        return after.toString();
    }

    @Override
    public Result outcome(String state) {
        if (!moves(state).isEmpty()) {
            return null;
        }
        return isFirstToMove(state) ? Result.SECOND_WINS : Result.FIRST_WINS;
    }

    @Override
    public String text(String state) {
        return state;
    }

    @Override
    public String read(String text) {
        if (!text.matches("([.#XO]{5}/){5}[XO]")) {
            throw new IllegalArgumentException(
                    "expected 5 rows of 5 cells of ., #, X and O, then the side to move");
        }
        return text;
    }

    @Override
    public boolean isFirstToMove(String state) {
        return state.endsWith("X");
    }

    @Override
    public String moreFacts(String state) {
        return " left " + state.chars().filter(cell -> cell == '.').count();
    }
}
