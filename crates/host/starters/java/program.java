import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** @title@, by the command lines of the assignment and by the line protocol. */
public class @program@ {
    private static final String USAGE = "usage: java @program@ one-move INPUT OUTPUT DEPTH\n"
            + "       java @program@ interactive INPUT computer-next|human-next DEPTH\n"
            + "       java @program@ line\n"
            + "and at the end, perhaps, --seed N: the same seed, the same moves";

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private final AiPlayer player;

    private @program@(long seed) {
        player = new AiPlayer(seed);
    }

    public static void main(String[] args) {
        try {
            List<String> words = new ArrayList<>(Arrays.asList(args));
            @program@ program = new @program@(takeSeed(words));
            if (!program.run(words)) {
                System.err.println(USAGE);
                System.exit(2);
            }
        } catch (IOException | IllegalArgumentException error) {
            System.err.println("error: " + error);
            System.exit(1);
        }
    }

    /** Takes {@code --seed N} out of the words; without it, every run is another. */
    private static long takeSeed(List<String> words) {
        int place = words.indexOf("--seed");
        if (place < 0 || place + 1 >= words.size()) {
            return System.nanoTime();
        }
        words.remove(place);
        return Long.parseLong(words.remove(place));
    }

    /** Does what the words ask for. False if they make no sense. */
    private boolean run(List<String> words) throws IOException {
        String mode = words.isEmpty() ? "" : words.get(0);
        if (mode.equals("one-move") && words.size() == 4) {
            oneMove(words.get(1), words.get(2), Integer.parseInt(words.get(3)));
        } else if (mode.equals("interactive") && words.size() == 4) {
            boolean isComputerNext = words.get(2).equals("computer-next");
            interactive(words.get(1), isComputerNext, Integer.parseInt(words.get(3)));
        } else if (mode.equals("line") && words.size() == 1) {
            new LineProtocol(player).talk(INPUT);
        } else {
            return false;
        }
        return true;
    }

    /** Reads a file, makes one move and writes the position after it in the same format. */
    private void oneMove(String input, String output, int depth) throws IOException {
        String layout = read(Paths.get(input));
        GameBoard board = new GameBoard(layout);
        System.out.println(board);
        if (board.legalMoves().isEmpty()) {
            System.out.println("There is no legal move: the game is over.");
            return;
        }
        moveComputer(board, depth);
        System.out.println(board);
        write(output, board.toText(layout));
    }

    /** Plays with a human until the game is over. Without the file it begins at the start. */
    private void interactive(String input, boolean isComputerNext, int depth) throws IOException {
        Path path = Paths.get(input);
        String layout = Files.exists(path) ? read(path) : GameBoard.START_FILE;
        GameBoard board = new GameBoard(layout);
        String first = board.toMove();
        System.out.println(board);
        while (!board.legalMoves().isEmpty()) {
            // In some games a move keeps the turn.
            boolean isComputer = board.toMove().equals(first) == isComputerNext;
            if (isComputer) {
                moveComputer(board, depth);
            } else if (!moveHuman(board)) {
                return;
            }
            write(isComputer ? "computer.txt" : "human.txt", board.toText(layout));
            System.out.println(board);
        }
        System.out.println("There is no legal move: the game is over.");
    }

    private void moveComputer(GameBoard board, int depth) {
        int move = player.chooseMove(board, depth);
        System.out.println(board.toMove() + " plays " + GameBoard.formatMove(move) + "\n");
        board.play(move);
    }

    /** Asks until the move is legal. False when there is nobody left to ask. */
    private static boolean moveHuman(GameBoard board) throws IOException {
        while (true) {
            System.out.print(board.toMove() + ", your move: ");
            System.out.flush();
            String line = INPUT.readLine();
            if (line == null) {
                System.out.println("\nNo more input.");
                return false;
            }
            int move = GameBoard.parseMove(line.trim());
            if (move != GameBoard.NO_MOVE && board.isLegal(move)) {
                board.play(move);
                return true;
            }
            System.out.println("That is not a legal move.");
        }
    }

    private static String read(Path path) throws IOException {
        return new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
    }

    private static void write(String path, String text) throws IOException {
        Files.write(Paths.get(path), text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
