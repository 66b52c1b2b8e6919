package plyground.host;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/** A {@code ComputerPlayer} of the USF assignment: {@code getMove} and {@code OpponentMove}. */
final class UsfSubmission implements Submission {
    private static final char FIRST_ROW = 'A';
    private static final int FIRST_COLUMN = 1;

    private final Object player;
    private final Method getMove;
    private final Method opponentMove;
    private final Constructor<?> place;
    private final Constructor<?> move;

    /**
     * A player at the start of a game.
     *
     * @param type the class of the player
     * @param side the side that it plays; player 1 moves first
     * @throws ReflectiveOperationException when its constructor throws something, or something is
     *     missing
     */
    UsfSubmission(Class<?> type, Side side) throws ReflectiveOperationException {
        getMove = Mirror.method(type, "getMove");
        Class<?> moveType = Class.forName("Move", true, type.getClassLoader());
        opponentMove = Mirror.method(type, "OpponentMove", moveType);
        place = Mirror.constructor(moveType, char.class, int.class);
        move = Mirror.constructor(moveType, char.class, int.class, char.class, int.class);
        int number = side == Side.FIRST ? 1 : 2;
        player = Mirror.constructor(type, int.class).newInstance(number);
    }

    @Override
    public String chooseMove() throws ReflectiveOperationException {
        Object chosen = getMove.invoke(player);
        if (chosen == null) {
            return Submission.bestMove(null);
        }
        Square to = square(chosen, "to");
        Object kind = Mirror.value(chosen, "moveType");
        return switch (String.valueOf(kind)) {
            case "PLACE_PIECE" -> Submission.bestMove(ChipMove.add(to));
            case "MOVE_PIECE" -> Submission.bestMove(ChipMove.step(square(chosen, "from"), to));
            default -> Submission.bestMove("moveType=" + kind);
        };
    }

    @Override
    public boolean opponentMove(ChipMove told) throws ReflectiveOperationException {
        opponentMove.invoke(player, course(told));
        return true;
    }

    /** There is no method for this: a player of this course knows only games that it played. */
    @Override
    public boolean forceMove(ChipMove told) {
        throw new UnsupportedOperationException("a ComputerPlayer cannot be told a move of its own ("
                + told + "): its games begin with the empty board, without openings");
    }

    private Object course(ChipMove told) throws ReflectiveOperationException {
        Square to = told.to();
        if (told.from().isEmpty()) {
            return place.newInstance(row(to), column(to));
        }
        Square from = told.from().get();
        return move.newInstance(row(from), column(from), row(to), column(to));
    }

    private static char row(Square square) {
        return (char) (FIRST_ROW + square.y());
    }

    private static int column(Square square) {
        return FIRST_COLUMN + square.x();
    }

    /** The square of a move of the course. Small letters name rows too. */
    private static Square square(Object move, String which) throws ReflectiveOperationException {
        char row = Character.toUpperCase((char) Mirror.number(move, which + "Row"));
        int column = Mirror.number(move, which + "Col");
        return new Square(column - FIRST_COLUMN, row - FIRST_ROW);
    }
}
