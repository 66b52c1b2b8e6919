import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Speaks the line protocol and takes the free column that is nearest to the middle. */
public final class Middle {
    private static final int ROWS = 6;
    private static final int[] COLUMNS = {4, 3, 5, 2, 6, 1, 7};

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int[] pieces = new int[COLUMNS.length + 1];
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.trim().split("\\s+");
            switch (words[0]) {
                case "isready" -> System.out.println("readyok");
                case "position" -> pieces = count(words);
                case "go" -> System.out.println("bestmove " + free(pieces));
                case "quit" -> System.exit(0);
                default -> { }
            }
        }
    }

    private static int[] count(String[] words) {
        int[] pieces = new int[COLUMNS.length + 1];
        for (int word = 3; word < words.length; word++) {
            pieces[Integer.parseInt(words[word])]++;
        }
        return pieces;
    }

    private static int free(int[] pieces) {
        for (int column : COLUMNS) {
            if (pieces[column] < ROWS) {
                return column;
            }
        }
        return 0;
    }
}
