import java.util.List;
import java.util.SplittableRandom;

/** The player: this is the file to write in. */
class AiPlayer {
    private final long seed;

    /** The same board, depth and seed give the same move. */
    AiPlayer(long seed) {
        this.seed = seed;
    }

    /**
     * The move that the side to move chooses, looking {@code depth} moves ahead; 1 means one's own
     * move only.
     */
    int chooseMove(GameBoard board, int depth) {
        // Your search begins here. The board has legalMoves(), play(move), undo(move), and
        // what is yours to add. Until then it plays at random.
        List<Integer> moves = board.legalMoves();
        SplittableRandom random = new SplittableRandom(
                seed * 1_000_003 + board.toText(GameBoard.START_FILE).hashCode());
        return moves.get(random.nextInt(moves.size()));
    }
}
