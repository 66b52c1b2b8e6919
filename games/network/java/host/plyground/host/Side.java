package plyground.host;

/** The sides of a game, by who moves first. */
enum Side {
    /** Who makes the first move. */
    FIRST,
    /** Who makes the second. */
    SECOND;

    /**
     * The side that makes a move of a game.
     *
     * @param ply how many moves come before it
     * @return the side
     */
    static Side ofPly(int ply) {
        return ply % 2 == 0 ? FIRST : SECOND;
    }
}
