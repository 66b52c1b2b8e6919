import java.util.OptionalInt;
import plyground.engine.Engine;

/** A player of the USF assignment that leaves the thinking to the program `network`. */
public class ComputerPlayer extends Player {
    private static final char FIRST_ROW = 'A';
    private static final int FIRST_COLUMN = 1;
    private static final char STEP_SIGN = '-';

    private final Engine engine = new Engine("usf");

    /**
     * A player that answers within five seconds.
     *
     * @param playerNum 1 or 2; player 1 moves first
     */
    public ComputerPlayer(int playerNum) {
        super(playerNum);
    }

    /**
     * Chooses a move and makes it on the player's own board.
     *
     * @return the move; null when the game is over
     */
    @Override
    public Move getMove() {
        return engine.choose(OptionalInt.empty()).map(ComputerPlayer::read).orElse(null);
    }

    /**
     * Makes a move of the opponent on the player's own board.
     *
     * @param m the move
     * @throws IllegalArgumentException when it is illegal; nothing is changed then
     */
    @Override
    public void OpponentMove(Move m) {
        String to = square(m.toRow, m.toCol);
        String move = m.moveType == Move.MoveType.PLACE_PIECE
                ? to
                : square(m.fromRow, m.fromCol) + STEP_SIGN + to;
        if (!engine.play(move)) {
            throw new IllegalArgumentException("the move " + move + " is illegal");
        }
    }

    /** A place as the program writes it: column and row, both from 0. */
    private static String square(char row, int column) {
        return "" + (column - FIRST_COLUMN) + (Character.toUpperCase(row) - FIRST_ROW);
    }

    private static Move read(String move) {
        String to = move.substring(move.indexOf(STEP_SIGN) + 1);
        if (to.equals(move)) {
            return new Move(row(to), column(to));
        }
        return new Move(row(move), column(move), row(to), column(to));
    }

    private static char row(String square) {
        return (char) (FIRST_ROW + square.charAt(1) - '0');
    }

    private static int column(String square) {
        return FIRST_COLUMN + square.charAt(0) - '0';
    }
}
