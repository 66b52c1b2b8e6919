package player;

/** Thinks forever. */
public class Spinning extends MachinePlayer {
    public Spinning(int color) {
        super(color);
    }

    private volatile long thoughts;

    @Override
    public Move chooseMove() {
        while (true) {
            thoughts++;
        }
    }
}
