import java.util.List;
import java.util.Random;

/** The player: this is the file to write in. */
public class ComputerPlayer extends Player {
    private final Board board = new Board();
    private final Random random = newRandom();

    public ComputerPlayer(int playerNum) {
        super(playerNum);
    }

    @Override
    public Move getMove() {
        // Your search begins here. The board has legalMoves(player), play(player, move) and
        // undo(player, move). To find networks is yours to write, too. Until then it plays at random.
        List<Move> moves = board.legalMoves(playerNum);
        Move move = moves.get(random.nextInt(moves.size()));
        board.play(playerNum, move);
        return move;
    }

    @Override
    public void OpponentMove(Move m) {
        board.play(3 - playerNum, m);
    }

    /** The same every time where the variable SEED of the environment is set. */
    private static Random newRandom() {
        String seed = System.getenv("SEED");
        return seed == null ? new Random() : new Random(Long.parseLong(seed));
    }
}
