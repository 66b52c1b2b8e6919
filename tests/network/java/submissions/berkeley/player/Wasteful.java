package player;

/** Makes much garbage, and keeps nothing. */
public class Wasteful extends MachinePlayer {
    public Wasteful(int color) {
        super(color);
    }

    private static final int MEBIBYTE = 1 << 20;
    private static final int TIMES = 1_000;

    private volatile byte[] last;

    @Override
    public Move chooseMove() {
        for (int time = 0; time < TIMES; time++) {
            last = new byte[MEBIBYTE];
        }
        return super.chooseMove();
    }
}
