package player;

/** Throws an exception at its second move. */
public class Throwing extends MachinePlayer {
    public Throwing(int color) {
        super(color);
    }

    private int asked;

    @Override
    public Move chooseMove() {
        asked++;
        if (asked == 2) {
            throw new IllegalStateException("no idea");
        }
        return super.chooseMove();
    }
}
