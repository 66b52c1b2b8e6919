package player;

/** Never answers. */
public class Hanging extends MachinePlayer {
    public Hanging(int color) {
        super(color);
    }

    @Override
    public Move chooseMove() {
        while (true) {
            try {
                Thread.sleep(1_000);
            } catch (InterruptedException ignored) {
                // Nobody tells it what to do.
            }
        }
    }
}
