package player;

/** Prints what looks like the protocol, and reads what is not for it. */
public class Chatty extends MachinePlayer {
    public Chatty(int color) {
        super(color);
    }

    @Override
    public Move chooseMove() {
        System.out.println("bestmove 00");
        System.out.println("resign");
        try {
            System.err.println("input: " + System.in.read());
        } catch (java.io.IOException error) {
            throw new IllegalStateException(error);
        }
        return super.chooseMove();
    }
}
