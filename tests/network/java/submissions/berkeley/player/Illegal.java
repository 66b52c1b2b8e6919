package player;

/** Plays into a corner. */
public class Illegal extends MachinePlayer {
    public Illegal(int color) {
        super(color);
    }

    @Override
    public Move chooseMove() {
        return new Move(0, 0);
    }
}
