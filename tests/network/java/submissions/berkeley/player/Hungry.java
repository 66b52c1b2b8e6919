package player;

/** Fills the memory. */
public class Hungry extends MachinePlayer {
    public Hungry(int color) {
        super(color);
    }

    private static final int MEBIBYTE = 1 << 20;

    private final java.util.List<byte[]> eaten = new java.util.ArrayList<>();

    @Override
    public Move chooseMove() {
        while (true) {
            byte[] food = new byte[MEBIBYTE];
            java.util.Arrays.fill(food, (byte) 1);
            eaten.add(food);
        }
    }
}
