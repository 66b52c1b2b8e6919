package player;

/** Takes every move of the opponent for illegal, and yet makes it. */
public class Stubborn extends MachinePlayer {
    public Stubborn(int color) {
        super(color);
    }

    @Override
    public boolean opponentMove(Move m) {
        super.opponentMove(m);
        return false;
    }
}
