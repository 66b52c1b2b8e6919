/**
 * A player of the USF assignment. It stands in for the course's own class where a submission comes
 * without it.
 */
public abstract class Player {
    /** 1 or 2; player 1 moves first. */
    protected int playerNum;

    /**
     * A player at the start of a game.
     *
     * @param playerNum 1 or 2
     */
    public Player(int playerNum) {
        this.playerNum = playerNum;
    }

    /**
     * Chooses a move and makes it on the player's own board.
     *
     * @return the move
     */
    public abstract Move getMove();

    /**
     * Makes a legal move of the opponent on the player's own board.
     *
     * @param m the move
     */
    public abstract void OpponentMove(Move m);
}
