package player;

import java.util.Optional;
import java.util.OptionalInt;
import plyground.engine.Engine;

/** A player of the Berkeley assignment that leaves the thinking to the program `network`. */
public class MachinePlayer extends Player {
    private static final int BLACK = 0;
    private static final int WHITE = 1;
    private static final char STEP_SIGN = '-';

    private final Engine engine;
    /** How many plies to look ahead, unless the program decides. */
    private final OptionalInt searchDepth;
    /** 0 or 1: whether an even or an odd number of moves comes before each of its own. */
    private final int parity;

    /**
     * A player that decides for itself how far it looks ahead, and answers within five seconds.
     *
     * @param color 0 for black, 1 for white; white has the first move
     */
    public MachinePlayer(int color) {
        this(color, OptionalInt.empty());
    }

    /**
     * A player that always looks exactly so far ahead.
     *
     * @param color 0 for black, 1 for white; white has the first move
     * @param searchDepth how many moves of both sides it looks ahead, at least 1
     */
    public MachinePlayer(int color, int searchDepth) {
        this(color, OptionalInt.of(Math.max(1, searchDepth)));
    }

    private MachinePlayer(int color, OptionalInt searchDepth) {
        if (color != BLACK && color != WHITE) {
            throw new IllegalArgumentException("expected color 0 or 1, found " + color);
        }
        parity = color == WHITE ? 0 : 1;
        this.searchDepth = searchDepth;
        engine = new Engine("berkeley");
    }

    /**
     * Chooses a move and makes it on the player's own board.
     *
     * @return the move; a quit move when the game is over or it is not the player's turn
     */
    @Override
    public Move chooseMove() {
        if (!isOwnTurn()) {
            return new Move();
        }
        Optional<String> move = engine.choose(searchDepth);
        return move.map(MachinePlayer::read).orElseGet(Move::new);
    }

    @Override
    public boolean opponentMove(Move m) {
        return !isOwnTurn() && m.moveKind != Move.QUIT && engine.play(write(m));
    }

    @Override
    public boolean forceMove(Move m) {
        return isOwnTurn() && m.moveKind != Move.QUIT && engine.play(write(m));
    }

    private boolean isOwnTurn() {
        return engine.plies() % 2 == parity;
    }

    private static String write(Move move) {
        String to = "" + move.x1 + move.y1;
        return move.moveKind == Move.ADD ? to : "" + move.x2 + move.y2 + STEP_SIGN + to;
    }

    private static Move read(String move) {
        String to = move.substring(move.indexOf(STEP_SIGN) + 1);
        if (to.equals(move)) {
            return new Move(digit(to, 0), digit(to, 1));
        }
        return new Move(digit(to, 0), digit(to, 1), digit(move, 0), digit(move, 1));
    }

    private static int digit(String text, int index) {
        return text.charAt(index) - '0';
    }
}
