package player;

/** Gives up. */
public class Quitting extends MachinePlayer {
    public Quitting(int color) {
        super(color);
    }

    @Override
    public Move chooseMove() {
        return new Move();
    }
}
