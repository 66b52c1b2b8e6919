package player;

/** Does not survive an illegal move. */
public class Fragile extends MachinePlayer {
    public Fragile(int color) {
        super(color);
    }

    @Override
    public boolean opponentMove(Move m) {
        return check(super.opponentMove(m));
    }

    @Override
    public boolean forceMove(Move m) {
        return check(super.forceMove(m));
    }

    private static boolean check(boolean isLegal) {
        if (!isLegal) {
            throw new IllegalStateException("an illegal move");
        }
        return true;
    }
}
