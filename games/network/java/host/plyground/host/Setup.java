package plyground.host;

import java.util.ArrayList;
import java.util.List;

/**
 * How to set up a position with the methods that a submission has: its chips are added in turn.
 *
 * <p>A set of chips in which no three stand together has no such part either, so the moves are
 * legal in any order, unless a network is complete too early.
 */
final class Setup {
    private static final char EMPTY = '.';

    private Setup() {}

    /**
     * The moves that lead from the empty board to a position.
     *
     * @param state the lines of a state file, joined by {@code /}
     * @param first the letter of the side that begins games
     * @return the moves, the first one by that side
     * @throws IllegalArgumentException when the position does not come from adding chips in turn
     */
    static List<ChipMove> moves(String state, char first) {
        String[] lines = state.split("/");
        int rows = lines.length - 1;
        List<ChipMove> ofFirst = new ArrayList<>();
        List<ChipMove> ofSecond = new ArrayList<>();
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < lines[y].length(); x++) {
                char chip = lines[y].charAt(x);
                if (chip != EMPTY) {
                    (chip == first ? ofFirst : ofSecond).add(ChipMove.add(new Square(x, y)));
                }
            }
        }
        int lead = ofFirst.size() - ofSecond.size();
        boolean isFirstToMove = lines[rows].equals(String.valueOf(first));
        if (lead != (isFirstToMove ? 0 : 1)) {
            throw new IllegalArgumentException("adding chips in turn does not lead to " + state);
        }
        return inTurn(ofFirst, ofSecond);
    }

    private static List<ChipMove> inTurn(List<ChipMove> ofFirst, List<ChipMove> ofSecond) {
        List<ChipMove> moves = new ArrayList<>();
        for (int turn = 0; turn < ofFirst.size(); turn++) {
            moves.add(ofFirst.get(turn));
            if (turn < ofSecond.size()) {
                moves.add(ofSecond.get(turn));
            }
        }
        return moves;
    }
}
