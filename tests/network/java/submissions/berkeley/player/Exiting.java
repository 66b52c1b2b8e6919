package player;

/** Ends the program, as if all were well. */
public class Exiting extends MachinePlayer {
    public Exiting(int color) {
        super(color);
    }

    @Override
    public Move chooseMove() {
        System.exit(0);
        return super.chooseMove();
    }
}
