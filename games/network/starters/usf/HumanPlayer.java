import java.util.NoSuchElementException;
import java.util.Scanner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A human, who is asked until the move is legal. */
public class HumanPlayer extends Player {
    /** One for all, or the first would read what the second is to answer. */
    static final Scanner INPUT = new Scanner(System.in);

    private static final Pattern PLACE = Pattern.compile("\\s*([A-Ha-h])\\s*(\\d{1,4})");

    private final Board board = new Board();

    public HumanPlayer(int playerNum) {
        super(playerNum);
    }

    /** The move that is typed; null at the end of the input. */
    @Override
    public Move getMove() {
        while (true) {
            boolean isPlacing = board.isPlacing(playerNum);
            System.out.print("Player " + playerNum + ": Enter row and column position "
                    + (isPlacing ? "to place piece: " : "of piece to move, then of its new place: "));
            String line;
            try {
                line = INPUT.nextLine();
            } catch (NoSuchElementException end) {
                return null;
            }
            Move move = parse(line, isPlacing);
            String why = move == null
                    ? "Cannot read a position in: " + line
                    : board.whyIllegal(playerNum, move);
            if (why == null) {
                board.play(playerNum, move);
                return move;
            }
            System.out.println("Player " + playerNum + ": Bad move!\n" + why);
        }
    }

    /** Reads {@code A4}, or {@code A4 B5} where a piece is moved; null if that cannot be read. */
    private static Move parse(String line, boolean isPlacing) {
        Matcher places = PLACE.matcher(line);
        if (!places.lookingAt()) {
            return null;
        }
        char row = Character.toUpperCase(places.group(1).charAt(0));
        int col = Integer.parseInt(places.group(2));
        places.region(places.end(), line.length());
        if (isPlacing) {
            return line.substring(places.regionStart()).isBlank() ? new Move(row, col) : null;
        }
        if (!places.lookingAt() || !line.substring(places.end()).isBlank()) {
            return null;
        }
        char toRow = Character.toUpperCase(places.group(1).charAt(0));
        return new Move(row, col, toRow, Integer.parseInt(places.group(2)));
    }

    @Override
    public void OpponentMove(Move m) {
        board.play(3 - playerNum, m);
    }
}
