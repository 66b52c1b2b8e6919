package plyground.host;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A {@code player.MachinePlayer} of the Berkeley assignment: {@code chooseMove},
 * {@code opponentMove} and {@code forceMove}.
 */
final class BerkeleySubmission implements Submission {
    private static final int BLACK = 0;
    private static final int WHITE = 1;

    private static final int QUIT = 0;
    private static final int ADD = 1;
    private static final int STEP = 2;

    private final Object player;
    private final Method chooseMove;
    private final Method opponentMove;
    private final Method forceMove;
    private final Constructor<?> add;
    private final Constructor<?> step;

    /**
     * A player at the start of a game.
     *
     * @param type the class of the player
     * @param side the side that it plays; White moves first
     * @param depth how many plies it is to look ahead, if that is not for itself to decide
     * @throws ReflectiveOperationException when its constructor throws something, or something is
     *     missing
     */
    BerkeleySubmission(Class<?> type, Side side, OptionalInt depth)
            throws ReflectiveOperationException {
        chooseMove = Mirror.method(type, "chooseMove");
        // A player may return a class of its own, but it is given those of the course, or those that it has put
        // into another package.
        Optional<Class<?>> own = Mirror.parameter(type, "opponentMove", "Move");
        Class<?> move = own.isPresent()
                ? own.get()
                : Class.forName("player.Move", true, type.getClassLoader());
        opponentMove = Mirror.method(type, "opponentMove", move);
        forceMove = Mirror.method(type, "forceMove", move);
        add = Mirror.constructor(move, int.class, int.class);
        step = Mirror.constructor(move, int.class, int.class, int.class, int.class);
        int color = side == Side.FIRST ? WHITE : BLACK;
        player = depth.isPresent()
                ? Mirror.constructor(type, int.class, int.class)
                        .newInstance(color, depth.getAsInt())
                : Mirror.constructor(type, int.class).newInstance(color);
    }

    @Override
    public String chooseMove() throws ReflectiveOperationException {
        Object move = chooseMove.invoke(player);
        if (move == null) {
            return Submission.bestMove(null);
        }
        int kind = Mirror.number(move, "moveKind");
        return switch (kind) {
            case QUIT -> RESIGNATION;
            case ADD -> Submission.bestMove(ChipMove.add(square(move, "1")));
            case STEP -> Submission.bestMove(
                    ChipMove.step(square(move, "2"), square(move, "1")));
            default -> Submission.bestMove("moveKind=" + kind);
        };
    }

    @Override
    public boolean opponentMove(ChipMove move) throws ReflectiveOperationException {
        return (Boolean) opponentMove.invoke(player, course(move));
    }

    @Override
    public boolean forceMove(ChipMove move) throws ReflectiveOperationException {
        return (Boolean) forceMove.invoke(player, course(move));
    }

    /** The move as the course has it: in a step, the new square comes first. */
    private Object course(ChipMove move) throws ReflectiveOperationException {
        Square to = move.to();
        if (move.from().isEmpty()) {
            return add.newInstance(to.x(), to.y());
        }
        Square from = move.from().get();
        return step.newInstance(to.x(), to.y(), from.x(), from.y());
    }

    private static Square square(Object move, String which) throws ReflectiveOperationException {
        return new Square(Mirror.number(move, "x" + which), Mirror.number(move, "y" + which));
    }
}
