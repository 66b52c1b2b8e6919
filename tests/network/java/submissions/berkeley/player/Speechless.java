package player;

/** Returns no move. */
public class Speechless extends MachinePlayer {
    public Speechless(int color) {
        super(color);
    }

    @Override
    public Move chooseMove() {
        return null;
    }
}
