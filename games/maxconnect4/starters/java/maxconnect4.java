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

/** Max-Connect4, by the command lines of the assignment and by the line protocol. */
public class maxconnect4 {
    private static final String USAGE = "usage: java maxconnect4 one-move INPUT OUTPUT DEPTH\n"
            + "       java maxconnect4 interactive INPUT computer-next|human-next DEPTH\n"
            + "       java maxconnect4 line\n"
            + "and at the end, perhaps, --seed N: the same seed, the same moves";

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private final AiPlayer player;

    private maxconnect4(long seed) {
        player = new AiPlayer(seed);
    }

    public static void main(String[] args) {
        try {
            List<String> words = new ArrayList<>(Arrays.asList(args));
            maxconnect4 program = new maxconnect4(takeSeed(words));
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
        System.out.println("\nMaxConnect-4 game\ngame state before move:\n" + board);
        if (board.legalMoves().isEmpty()) {
            System.out.println("BOARD FULL\n\nGame over!");
            return;
        }
        moveComputer(board, depth);
        System.out.println("game state after move:\n" + board);
        write(output, board.toText(layout));
    }

    /** Plays with a human until the board is full, as the assignment says in eight steps. */
    private void interactive(String input, boolean isComputerNext, int depth) throws IOException {
        Path path = Paths.get(input);
        String layout = Files.exists(path) ? read(path) : GameBoard.EMPTY_FILE;
        GameBoard board = new GameBoard(layout);
        System.out.println(board);
        while (!board.legalMoves().isEmpty()) {
            if (isComputerNext) {
                moveComputer(board, depth);
            } else if (!moveHuman(board)) {
                return;
            }
            write(isComputerNext ? "computer.txt" : "human.txt", board.toText(layout));
            System.out.println(board);
            isComputerNext = !isComputerNext;
        }
        System.out.println("BOARD FULL\n\nGame over!");
    }

    private void moveComputer(GameBoard board, int depth) {
        int column = player.chooseMove(board, depth);
        System.out.println("\nmove " + (board.pieces() + 1) + ": Player " + board.nextPlayer()
                + ", column " + (column + 1));
        board.play(column);
    }

    /** Asks until the move is valid. False when there is nobody left to ask. */
    private static boolean moveHuman(GameBoard board) throws IOException {
        while (true) {
            System.out.print("Player " + board.nextPlayer() + ", choose a column (1-7): ");
            System.out.flush();
            String line = INPUT.readLine();
            if (line == null) {
                System.out.println("\nNo more input.");
                return false;
            }
            for (int column : board.legalMoves()) {
                if (line.trim().equals(String.valueOf(column + 1))) {
                    board.play(column);
                    return true;
                }
            }
            System.out.println("That is not a column from 1 to 7 with room in it.");
        }
    }

    private static String read(Path path) throws IOException {
        return new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
    }

    private static void write(String path, String text) throws IOException {
        Files.write(Paths.get(path), text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
