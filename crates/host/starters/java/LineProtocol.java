import java.io.BufferedReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** The line protocol: a program that stays alive for a whole game, and answers line by line. */
class LineProtocol {
    /** For a {@code go} that does not say how far to look ahead. */
    private static final int DEFAULT_DEPTH = @depth@;

    private final AiPlayer player;
    private GameBoard board = new GameBoard(GameBoard.START_FILE);

    LineProtocol(AiPlayer player) {
        this.player = player;
    }

    /** Answers the referee until it says {@code quit}. Lines that nobody knows are ignored. */
    void talk(BufferedReader input) throws IOException {
        String line;
        while ((line = input.readLine()) != null) {
            List<String> words = Arrays.asList(line.trim().split("\\s+"));
            switch (words.get(0)) {
                case "newgame":
                    if (!line.contains(" @game@ @rules@ ")) {
                        say("info error: this game, or these rules, are not known");
                    }
                    break;
                case "protocol":
                    say("protocol 1");
                    break;
                case "isready":
                    say("readyok");
                    break;
                case "position":
                    setUp(words);
                    break;
                case "go":
                    say("bestmove "
                            + GameBoard.formatMove(player.chooseMove(board, depthOf(words))));
                    break;
                case "quit":
                    return;
                default:
            }
        }
    }

    /** Sets up the board that {@code position START moves M1 M2 ...} describes. */
    private void setUp(List<String> words) {
        String start = words.get(1);
        board = new GameBoard(start.equals("startpos") ? GameBoard.START_FILE : start);
        for (String text : words.subList(Math.min(3, words.size()), words.size())) {
            int move = GameBoard.parseMove(text);
            if (move == GameBoard.NO_MOVE || !board.isLegal(move)) {
                say("illegal " + text);
                return;
            }
            board.play(move);
        }
    }

    /** How far {@code go depth N} says to look ahead; other limits may stand beside it. */
    private static int depthOf(List<String> words) {
        int place = words.indexOf("depth");
        return place < 0 ? DEFAULT_DEPTH : Integer.parseInt(words.get(place + 1));
    }

    /** Answers, at once: a line that waits in a buffer is one that nobody hears. */
    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
