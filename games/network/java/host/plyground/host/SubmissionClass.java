package plyground.host;

import java.util.OptionalInt;

/** A submission's class, from which its players are made. */
final class SubmissionClass {
    private final Class<?> type;
    private final OptionalInt depth;
    private final boolean isBerkeley;

    /**
     * Loads the class.
     *
     * @param name the name of the class
     * @param depth how many plies its players are to look ahead, if that is not for them to decide
     * @throws ReflectiveOperationException when there is no such class, or it is no player
     */
    SubmissionClass(String name, OptionalInt depth) throws ReflectiveOperationException {
        type = Class.forName(name);
        this.depth = depth;
        isBerkeley = Mirror.hasMethod(type, "chooseMove");
        if (!isBerkeley && !Mirror.hasMethod(type, "getMove")) {
            throw new NoSuchMethodException(
                    "its class " + name + " has neither a method chooseMove() nor getMove()");
        }
    }

    /**
     * Whether it plays by the rules of the Berkeley assignment, or else by those of USF.
     *
     * @return whether it does
     */
    boolean isBerkeley() {
        return isBerkeley;
    }

    /**
     * Makes a player at the start of a game.
     *
     * @param side the side that it plays
     * @return the player
     * @throws ReflectiveOperationException when its constructor throws something, or something is
     *     missing
     */
    Submission player(Side side) throws ReflectiveOperationException {
        return isBerkeley
                ? new BerkeleySubmission(type, side, depth)
                : new UsfSubmission(type, side);
    }
}
