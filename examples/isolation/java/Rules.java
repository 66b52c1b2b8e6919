import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rules of a game in Java 11, as a program that plyground plays by. A game extends this class, has the six
 * methods, and calls {@link #serve}. The manual of plyground describes the protocol on its page "Rules in any
 * language".
 *
 * @param <S> a state, which never changes
 */
public abstract class Rules<S> {
    /** The result of a finished game. */
    public enum Result {
        FIRST_WINS("1-0"),
        SECOND_WINS("0-1"),
        DRAW("1/2-1/2");

        private final String word;

        Result(String word) {
            this.word = word;
        }
    }

    private static final int MOST_KNOWN = 200_000;

    private final Map<String, S> known = new HashMap<>();

    /** Returns the description without `rules 1`, `start` and `end`: lines such as `name konane`. */
    public abstract List<String> description();

    /** Returns the state before the first move. */
    public abstract S start();

    /**
     * Returns the legal moves of a state that is not over, a word each: at least one, `pass` if there is no
     * other.
     */
    public abstract List<String> moves(S state);

    /** Returns the state after a legal move. */
    public abstract S play(S state, String move);

    /** Returns null while the game goes on. */
    public abstract Result outcome(S state);

    /** Returns the rows of the board and then the symbol of the side to move, joined by `/`. */
    public abstract String text(S state);

    /** Returns the state of such a text. Throws IllegalArgumentException with the reason if it is none. */
    public abstract S read(String text);

    /** Returns true if it is the turn of the side that moves first in a game. */
    public abstract boolean isFirstToMove(S state);

    /** Returns more facts, such as ` left 12`, ` score -30` or ` points 3 4`; empty if there are none. */
    public String moreFacts(S state) {
        return "";
    }

    /** Answers plyground until the input ends. What the rules print goes to standard error. */
    public final void serve() throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
            try {
                out.print(answer(line.trim().split(" +")));
            } catch (RuntimeException fault) {
                StackTraceElement[] trace = fault.getStackTrace();
                out.print("error " + fault + (trace.length > 0 ? " at " + trace[0] : "") + "\n");
                out.flush();
                System.exit(1);
            }
            out.flush();
        }
    }

    private String answer(String[] words) {
        switch (words[0]) {
            case "rules":
                String lines = String.join("\n", description());
                return "rules 1\n" + lines + "\nstart " + told(start()) + "\nend\n";
            case "expand":
                StringBuilder answer = new StringBuilder();
                for (int index = 1; index < words.length; index++) {
                    expand(words[index], answer);
                }
                return answer.toString();
            case "read":
                try {
                    return "position " + told(read(words[1])) + "\n";
                } catch (RuntimeException | StackOverflowError refused) {
                    // Whatever a stranger's text does to `read`, the game goes on.
                    String why = refused instanceof IllegalArgumentException ? refused.getMessage() : "" + refused;
                    return "illegal " + ("" + why).replaceAll("\\R", " ") + "\n";
                }
            default:
                return "error unknown question: " + words[0] + "\n";
        }
    }

    private void expand(String text, StringBuilder answer) {
        S state = known.containsKey(text) ? known.get(text) : read(text);
        if (outcome(state) == null) {
            for (String move : moves(state)) {
                answer.append(move).append(' ').append(told(play(state, move))).append('\n');
            }
        }
        answer.append("end\n");
    }

    /** Returns a text and the facts about its state, which is remembered. */
    private String told(S state) {
        String text = text(state);
        if (known.size() > MOST_KNOWN) {
            known.clear();
        }
        known.put(text, state);
        Result outcome = outcome(state);
        String side = isFirstToMove(state) ? " first " : " second ";
        return text + side + (outcome == null ? "-" : outcome.word) + moreFacts(state);
    }
}
