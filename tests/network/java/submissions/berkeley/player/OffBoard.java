package player;

/** Plays somewhere else. */
public class OffBoard extends MachinePlayer {
    public OffBoard(int color) {
        super(color);
    }

    @Override
    public Move chooseMove() {
        return new Move(12, -3);
    }
}
