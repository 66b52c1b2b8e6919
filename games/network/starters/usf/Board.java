import java.util.ArrayList;
import java.util.List;

/** A board of Network: which moves are legal, and why others are not. */
class Board {
    private static final int EMPTY = 0;
    private static final int SIDE = 8;
    private static final int PIECES = 10;

    /** By row and column, both from 1, with an empty border around the board. */
    private final int[][] pieces = new int[SIDE + 2][SIDE + 2];

    /** The number of a player's pieces on the board. */
    int count(int player) {
        int count = 0;
        for (int[] row : pieces) {
            for (int piece : row) {
                count += piece == player ? 1 : 0;
            }
        }
        return count;
    }

    /** Returns true if a player has pieces left to place. */
    boolean isPlacing(int player) {
        return count(player) < PIECES;
    }

    /** The moves that a player may make. */
    List<Move> legalMoves(int player) {
        List<Move> moves = new ArrayList<>();
        for (int row = 1; row <= SIDE; row++) {
            for (int col = 1; col <= SIDE; col++) {
                if (isPlacing(player)) {
                    addIfLegal(player, new Move(letter(row), col), moves);
                } else if (pieces[row][col] == player) {
                    addMovesFrom(player, row, col, moves);
                }
            }
        }
        return moves;
    }

    private void addMovesFrom(int player, int fromRow, int fromCol, List<Move> moves) {
        for (int row = 1; row <= SIDE; row++) {
            for (int col = 1; col <= SIDE; col++) {
                addIfLegal(player, new Move(letter(fromRow), fromCol, letter(row), col), moves);
            }
        }
    }

    private void addIfLegal(int player, Move move, List<Move> moves) {
        if (whyIllegal(player, move) == null) {
            moves.add(move);
        }
    }

    /** Why a player may not make a move; null if it is legal. */
    String whyIllegal(int player, Move move) {
        int row = row(move.toRow);
        if (move.moveType == Move.MoveType.PLACE_PIECE) {
            return whyNot(player, row, move.toCol);
        }
        int fromRow = row(move.fromRow);
        if (!isOnBoard(fromRow, move.fromCol) || pieces[fromRow][move.fromCol] != player) {
            return "No piece of yours there";
        }
        if (fromRow == row && move.fromCol == move.toCol) {
            return "Piece must move to a different position";
        }
        // The piece is in the hand while it moves, and nobody's neighbor.
        pieces[fromRow][move.fromCol] = EMPTY;
        String why = whyNot(player, row, move.toCol);
        pieces[fromRow][move.fromCol] = player;
        // A move that completes networks of both players is illegal, too: you will find out when
        // you have written what finds networks.
        return why;
    }

    /** Why a player may not put a piece somewhere; null if they may. */
    private String whyNot(int player, int row, int col) {
        if (!isOnBoard(row, col)) {
            return "Position is off the board";
        }
        boolean isOnRowOfGoals = row == 1 || row == SIDE;
        boolean isOnColumnOfGoals = col == 1 || col == SIDE;
        if (isOnRowOfGoals && isOnColumnOfGoals) {
            return "Position in corner";
        }
        if (player == 1 ? isOnColumnOfGoals : isOnRowOfGoals) {
            return "Position in opponent goal";
        }
        if (pieces[row][col] != EMPTY) {
            return "Position already occupied";
        }
        return isClump(player, row, col) ? "Position would form clump" : null;
    }

    private boolean isClump(int player, int row, int col) {
        List<int[]> friends = friends(player, row, col);
        return friends.size() > 1
                || friends.size() == 1
                        && !friends(player, friends.get(0)[0], friends.get(0)[1]).isEmpty();
    }

    /** The places next to this one with a piece of the player. */
    private List<int[]> friends(int player, int row, int col) {
        List<int[]> friends = new ArrayList<>();
        for (int r = row - 1; r <= row + 1; r++) {
            for (int c = col - 1; c <= col + 1; c++) {
                if ((r != row || c != col) && pieces[r][c] == player) {
                    friends.add(new int[] {r, c});
                }
            }
        }
        return friends;
    }

    /** Makes a legal move. */
    void play(int player, Move move) {
        if (move.moveType == Move.MoveType.MOVE_PIECE) {
            pieces[row(move.fromRow)][move.fromCol] = EMPTY;
        }
        pieces[row(move.toRow)][move.toCol] = player;
    }

    /** Takes back the last move, which was made by this player. */
    void undo(int player, Move move) {
        pieces[row(move.toRow)][move.toCol] = EMPTY;
        if (move.moveType == Move.MoveType.MOVE_PIECE) {
            pieces[row(move.fromRow)][move.fromCol] = player;
        }
    }

    private static boolean isOnBoard(int row, int col) {
        return 1 <= row && row <= SIDE && 1 <= col && col <= SIDE;
    }

    private static int row(char letter) {
        return Character.toUpperCase(letter) - 'A' + 1;
    }

    private static char letter(int row) {
        return (char) ('A' + row - 1);
    }

    /** The board as the assignment shows it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("  1 2 3 4 5 6 7 8\n");
        for (int row = 1; row <= SIDE; row++) {
            text.append(letter(row)).append(':');
            for (int col = 1; col <= SIDE; col++) {
                int piece = pieces[row][col];
                text.append(piece == EMPTY ? "." : piece).append(col < SIDE ? " " : "\n");
            }
        }
        return text.toString();
    }
}
