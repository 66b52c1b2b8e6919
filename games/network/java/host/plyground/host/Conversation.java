package plyground.host;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/** One end of the line protocol, for the players of a submission. */
final class Conversation {
    private static final char WHITE = 'W';
    private static final char BLACK = 'B';
    private static final String USF = "usf";

    private final SubmissionClass submission;
    private final PrintStream answers;
    /** The letter, in state files, of the side that begins games. */
    private char first = WHITE;
    /** The side of the player, once it is known. */
    private Optional<Side> side = Optional.empty();
    /** The player, if there is one. */
    private Optional<Submission> player = Optional.empty();
    /** What the player knows. */
    private Position known = Position.EMPTY;
    /** What it is to know. */
    private Position wanted = Position.EMPTY;

    /**
     * A conversation before its first line.
     *
     * @param submission where the players come from
     * @param answers where the answers go
     */
    Conversation(SubmissionClass submission, PrintStream answers) {
        this.submission = submission;
        this.answers = answers;
    }

    /**
     * Answers line by line, until {@code quit} or the end of the input.
     *
     * @param lines what the referee says
     * @throws IOException when it cannot be read
     * @throws ReflectiveOperationException when a player throws something
     */
    void run(BufferedReader lines) throws IOException, ReflectiveOperationException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            List<String> words = Position.words(line);
            switch (words.get(0)) {
                case "newgame" -> begin(words);
                case "position" -> wanted = Position.parse(words, first);
                case "isready" -> getReady();
                case "go" -> move();
                case "quit" -> {
                    return;
                }
                default -> { }
            }
        }
    }

    private void begin(List<String> words) {
        boolean isUsf = words.contains(USF);
        if (isUsf == submission.isBerkeley()) {
            String course = isUsf ? "Berkeley" : "USF";
            throw new IllegalStateException("the class plays by the rules of " + course + " only");
        }
        first = isUsf ? BLACK : WHITE;
        side = words.contains("first") ? Optional.of(Side.FIRST)
                : words.contains("second") ? Optional.of(Side.SECOND)
                : Optional.empty();
        player = Optional.empty();
        wanted = Position.EMPTY;
    }

    private void getReady() throws ReflectiveOperationException {
        if (side.isPresent()) {
            seat(side.get());
            inform(player.orElseThrow());
        }
        say("readyok");
    }

    private void move() throws ReflectiveOperationException {
        seat(wanted.sideToMove());
        Submission mover = player.orElseThrow();
        inform(mover);
        String answer = mover.chooseMove();
        // What cannot be read is the referee's business; there will be no further question.
        try {
            known = known.after(ChipMove.parse(answer.substring(answer.indexOf(' ') + 1)));
        } catch (IllegalArgumentException unreadable) {
            player = Optional.empty();
        }
        say(answer);
    }

    /** Makes sure that there is a player of this side who knows nothing that is not to be known. */
    private void seat(Side wantedSide) throws ReflectiveOperationException {
        boolean isHere = player.isPresent() && side.equals(Optional.of(wantedSide));
        if (!isHere || !wanted.follows(known)) {
            side = Optional.of(wantedSide);
            player = Optional.of(submission.player(wantedSide));
            known = Position.EMPTY;
        }
    }

    /** Tells the player the moves that it does not know yet. */
    private void inform(Submission listener) throws ReflectiveOperationException {
        int plies = known.moves().size();
        for (ChipMove move : wanted.moves().subList(plies, wanted.moves().size())) {
            Side mover = known.sideToMove();
            known = known.after(move);
            boolean agrees = side.equals(Optional.of(mover))
                    ? listener.forceMove(move)
                    : listener.opponentMove(move);
            if (!agrees) {
                say("illegal " + move);
            }
        }
    }

    private void say(String line) {
        answers.println(line);
        answers.flush();
    }
}
