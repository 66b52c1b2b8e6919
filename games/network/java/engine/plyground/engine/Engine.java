package plyground.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A game of Network in the program {@code network}, which runs as a process of its own and is
 * talked to over the line protocol. It ends with the Java program, or when it is no more used.
 *
 * <p>Moves are texts: {@code 34} adds a chip in column 3 and row 4, {@code 34-56} is a step.
 */
public final class Engine {
    /** The system property with the path of the program, if that is not to be found on PATH. */
    public static final String PROGRAM = "network.program";

    /** The system property with what plays, for example {@code machine:time=1s}. */
    public static final String PLAYER = "network.player";

    private static final Cleaner CLEANER = Cleaner.create();

    private final BufferedReader answers;
    private final PrintWriter questions;
    /** The moves of the game so far. */
    private final List<String> moves = new ArrayList<>();

    /**
     * Starts the program, with the empty board.
     *
     * @param rules {@code berkeley} or {@code usf}
     * @throws UncheckedIOException when it cannot be started
     */
    public Engine(String rules) {
        Process process = start(rules);
        CLEANER.register(this, process::destroy);
        answers = process.inputReader(StandardCharsets.UTF_8);
        questions = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8));
        say("newgame network " + rules);
    }

    private static Process start(String rules) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty(PROGRAM, "network"));
        command.addAll(List.of("--rules", rules, "engine"));
        Optional.ofNullable(System.getProperty(PLAYER)).ifPresent(command::add);
        try {
            return new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException error) {
            throw new UncheckedIOException("cannot start `" + String.join(" ", command)
                    + "`: put its folder on PATH, or name it with -D" + PROGRAM + "=PATH", error);
        }
    }

    /**
     * How many moves have been made.
     *
     * @return the number
     */
    public int plies() {
        return moves.size();
    }

    /**
     * Makes a move, if it is legal.
     *
     * @param move the move
     * @return whether it is legal; if not, nothing is changed
     */
    public boolean play(String move) {
        moves.add(move);
        sayPosition();
        say("isready");
        boolean isLegal = true;
        for (String line = hear(); !line.equals("readyok"); line = hear()) {
            isLegal &= !line.startsWith("illegal ");
        }
        if (!isLegal) {
            moves.remove(moves.size() - 1);
        }
        return isLegal;
    }

    /**
     * Has the program choose a move, and makes it.
     *
     * @param depth how many plies it looks ahead, unless it is to decide that for itself
     * @return the move; none when the game is over
     */
    public Optional<String> choose(OptionalInt depth) {
        sayPosition();
        say(depth.isPresent() ? "go depth " + depth.getAsInt() : "go");
        String line = hear();
        while (!line.startsWith("bestmove ") && !line.equals("resign")) {
            line = hear();
        }
        if (line.equals("resign")) {
            return Optional.empty();
        }
        String move = line.split(" ")[1];
        moves.add(move);
        return Optional.of(move);
    }

    private void sayPosition() {
        String line = "position startpos";
        say(moves.isEmpty() ? line : line + " moves " + String.join(" ", moves));
    }

    private void say(String line) {
        questions.println(line);
        questions.flush();
    }

    private String hear() {
        try {
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("the program `network` has ended");
            }
            return line;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
