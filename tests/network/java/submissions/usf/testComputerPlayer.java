import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Plays legal moves at random, the same in every game: but only places, and then gives up. */
public class testComputerPlayer extends Player {
    private static final int PIECES = 10;

    private final int[][] board = new int[10][10];
    private final Random random = new Random(1);
    private int pieces;

    public testComputerPlayer(int playerNum) {
        super(playerNum);
    }

    @Override
    public Move getMove() {
        if (pieces == PIECES) {
            return null;
        }
        List<Move> moves = new ArrayList<>();
        for (int row = 1; row <= 8; row++) {
            for (int col = 1; col <= 8; col++) {
                if (mayStand(row, col)) {
                    moves.add(new Move((char) ('A' + row - 1), col));
                }
            }
        }
        Move move = moves.get(random.nextInt(moves.size()));
        put(move, playerNum);
        pieces++;
        return move;
    }

    @Override
    public void OpponentMove(Move m) {
        if (m.moveType == Move.MoveType.MOVE_PIECE) {
            board[m.fromRow - 'A' + 1][m.fromCol] = 0;
        }
        put(m, 3 - playerNum);
    }

    private void put(Move move, int player) {
        board[move.toRow - 'A' + 1][move.toCol] = player;
    }

    private boolean mayStand(int row, int col) {
        boolean isOnRow = row == 1 || row == 8;
        boolean isOnColumn = col == 1 || col == 8;
        boolean isForbidden = playerNum == 1 ? isOnColumn : isOnRow;
        return board[row][col] == 0 && !isForbidden && friends(row, col) == 0;
    }

    /** Plays it safe: never beside another piece of its own. */
    private int friends(int row, int col) {
        int friends = 0;
        for (int r = row - 1; r <= row + 1; r++) {
            for (int c = col - 1; c <= col + 1; c++) {
                friends += board[r][c] == playerNum ? 1 : 0;
            }
        }
        return friends;
    }
}
