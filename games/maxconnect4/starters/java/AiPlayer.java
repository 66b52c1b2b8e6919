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
     * The column that the next player chooses, looking {@code depth} moves ahead; 1 means one's own
     * move only.
     */
    int chooseMove(GameBoard board, int depth) {
        // Your search begins here. The board has legalMoves(), play(column), undo(column) and
        // score(player). Until then it plays at random.
        List<Integer> moves = board.legalMoves();
        SplittableRandom random = new SplittableRandom(seed * 100 + board.pieces());
        return moves.get(random.nextInt(moves.size()));
    }
}
