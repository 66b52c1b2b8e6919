package player;

import java.util.List;
import java.util.Random;

/** Plays legal moves at random, the same in every game. */
public class MachinePlayer extends Player {
    private final Board board = new Board();
    private final Random random = new Random(1);
    private final int color;

    public MachinePlayer(int color) {
        this.color = color;
    }

    public MachinePlayer(int color, int searchDepth) {
        this(color);
        System.out.println("depth " + searchDepth);
    }

    @Override
    public Move chooseMove() {
        List<Move> moves = board.moves(color);
        Move move = moves.get(random.nextInt(moves.size()));
        board.play(color, move);
        return move;
    }

    @Override
    public boolean opponentMove(Move m) {
        return board.play(1 - color, m);
    }

    @Override
    public boolean forceMove(Move m) {
        return board.play(color, m);
    }
}
