package player;

import java.util.ArrayList;
import java.util.List;

/** A board that knows which moves are legal, and nothing of networks. */
class Board {
    private static final int SIZE = 8;
    private static final int LAST = SIZE - 1;
    private static final int CHIPS = 10;
    private static final int EMPTY = -1;
    private static final int WHITE = 1;

    private final int[][] chips = new int[SIZE][SIZE];
    private final int[] onBoard = new int[2];

    Board() {
        for (int[] column : chips) {
            java.util.Arrays.fill(column, EMPTY);
        }
    }

    /** Makes a move, if it is legal; returns whether it is. */
    boolean play(int color, Move move) {
        boolean isAdd = onBoard[color] < CHIPS;
        if (move.moveKind != (isAdd ? Move.ADD : Move.STEP)) {
            return false;
        }
        if (!isAdd && !lift(color, move)) {
            return false;
        }
        boolean isLegal = mayStand(color, move.x1, move.y1)
                && (isAdd || move.x1 != move.x2 || move.y1 != move.y2);
        if (isLegal) {
            chips[move.x1][move.y1] = color;
            onBoard[color]++;
        } else if (!isAdd) {
            chips[move.x2][move.y2] = color;
            onBoard[color]++;
        }
        return isLegal;
    }

    /** The legal moves. */
    List<Move> moves(int color) {
        List<Move> moves = new ArrayList<>();
        if (onBoard[color] < CHIPS) {
            squares(color).forEach(to -> moves.add(new Move(to[0], to[1])));
            return moves;
        }
        for (int x = 0; x < SIZE; x++) {
            for (int y = 0; y < SIZE; y++) {
                if (chips[x][y] == color) {
                    addSteps(color, x, y, moves);
                }
            }
        }
        return moves;
    }

    private void addSteps(int color, int x, int y, List<Move> moves) {
        chips[x][y] = EMPTY;
        for (int[] to : squares(color)) {
            if (to[0] != x || to[1] != y) {
                moves.add(new Move(to[0], to[1], x, y));
            }
        }
        chips[x][y] = color;
    }

    private List<int[]> squares(int color) {
        List<int[]> squares = new ArrayList<>();
        for (int x = 0; x < SIZE; x++) {
            for (int y = 0; y < SIZE; y++) {
                if (mayStand(color, x, y)) {
                    squares.add(new int[] {x, y});
                }
            }
        }
        return squares;
    }

    private boolean lift(int color, Move move) {
        if (!isOnBoard(move.x2, move.y2) || chips[move.x2][move.y2] != color) {
            return false;
        }
        chips[move.x2][move.y2] = EMPTY;
        onBoard[color]--;
        return true;
    }

    private boolean mayStand(int color, int x, int y) {
        if (!isOnBoard(x, y) || chips[x][y] != EMPTY) {
            return false;
        }
        boolean isOnSide = x == 0 || x == LAST;
        boolean isOnTopOrBottom = y == 0 || y == LAST;
        if (color == WHITE ? isOnTopOrBottom : isOnSide) {
            return false;
        }
        List<int[]> friends = neighbors(color, x, y);
        return friends.isEmpty()
                || friends.size() == 1
                        && neighbors(color, friends.get(0)[0], friends.get(0)[1]).isEmpty();
    }

    private List<int[]> neighbors(int color, int x, int y) {
        List<int[]> neighbors = new ArrayList<>();
        for (int dx = -1; dx <= 1; dx++) {
            for (int dy = -1; dy <= 1; dy++) {
                boolean isSame = dx == 0 && dy == 0;
                if (!isSame && isOnBoard(x + dx, y + dy) && chips[x + dx][y + dy] == color) {
                    neighbors.add(new int[] {x + dx, y + dy});
                }
            }
        }
        return neighbors;
    }

    private static boolean isOnBoard(int x, int y) {
        return 0 <= x && x < SIZE && 0 <= y && y < SIZE;
    }
}
