package plyground.host;

/** A submission's player in one game, in whatever form the course gave it. */
interface Submission {
    /** The answer of a player that gives up. */
    String RESIGNATION = "resign";

    /**
     * Asks the player for a move.
     *
     * @return the answer in the line protocol, the best the player's move can be put: a move that
     *     makes no sense is passed on for the referee to judge
     * @throws ReflectiveOperationException when the player throws something, or has no such method
     */
    String chooseMove() throws ReflectiveOperationException;

    /**
     * Tells the player of a move of its opponent.
     *
     * @param move the move
     * @return whether the player takes it for legal
     * @throws ReflectiveOperationException when the player throws something, or has no such method
     */
    boolean opponentMove(ChipMove move) throws ReflectiveOperationException;

    /**
     * Tells the player of a move that it is to make itself.
     *
     * @param move the move
     * @return whether the player takes it for legal
     * @throws ReflectiveOperationException when the player throws something, or has no such method
     */
    boolean forceMove(ChipMove move) throws ReflectiveOperationException;

    /**
     * Writes a move as the answer of a player.
     *
     * @param move a text without blanks
     * @return the line
     */
    static String bestMove(Object move) {
        return "bestmove " + move;
    }
}
