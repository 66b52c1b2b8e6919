package plyground.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A position of the line protocol, as the moves that lead to it from the empty board.
 *
 * @param moves the moves
 */
record Position(List<ChipMove> moves) {
    private static final String START = "startpos";

    /** The empty board. */
    static final Position EMPTY = new Position(List.of());

    /**
     * Reads a position.
     *
     * @param words the words of the line, the first of which is {@code position}
     * @param first the letter, in state files, of the side that begins games
     * @return the position
     * @throws IllegalArgumentException when the words are none, or adding chips in turn does not
     *     lead to the position
     */
    static Position parse(List<String> words, char first) {
        List<ChipMove> moves = new ArrayList<>();
        if (words.size() > 1 && !words.get(1).equals(START)) {
            moves.addAll(Setup.moves(words.get(1), first));
        }
        words.stream().skip(3).map(ChipMove::parse).forEach(moves::add);
        return new Position(List.copyOf(moves));
    }

    /**
     * Whose turn it is.
     *
     * @return the side
     */
    Side sideToMove() {
        return Side.ofPly(moves.size());
    }

    /**
     * Whether a game may come to this position after another.
     *
     * @param earlier the other
     * @return whether the moves of the other are the first of these
     */
    boolean follows(Position earlier) {
        int plies = earlier.moves.size();
        return plies <= moves.size() && moves.subList(0, plies).equals(earlier.moves);
    }

    /**
     * The position after one more move.
     *
     * @param move the move
     * @return the position
     */
    Position after(ChipMove move) {
        List<ChipMove> more = new ArrayList<>(moves);
        more.add(move);
        return new Position(List.copyOf(more));
    }

    /**
     * Cuts a line into words.
     *
     * @param line the line
     * @return its words; one that is empty, if there are none
     */
    static List<String> words(String line) {
        return Arrays.asList(line.strip().split("\\s+"));
    }
}
