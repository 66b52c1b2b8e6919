package plyground.host;

import java.util.Optional;

/**
 * A move of Network.
 *
 * @param from the square that a chip leaves; none when a chip is added
 * @param to the square to which it comes
 */
record ChipMove(Optional<Square> from, Square to) {
    /**
     * Reads a move.
     *
     * @param text {@code 34} or {@code 34-56}
     * @return the move
     * @throws IllegalArgumentException when the text is anything else
     */
    static ChipMove parse(String text) {
        int dash = text.indexOf('-');
        if (dash < 0) {
            return add(Square.parse(text));
        }
        Square from = Square.parse(text.substring(0, dash));
        return step(from, Square.parse(text.substring(dash + 1)));
    }

    /**
     * A move that adds a chip.
     *
     * @param to the square to which it comes
     * @return the move
     */
    static ChipMove add(Square to) {
        return new ChipMove(Optional.empty(), to);
    }

    /**
     * A move that takes a chip to another square.
     *
     * @param from the square that it leaves
     * @param to the square to which it comes
     * @return the move
     */
    static ChipMove step(Square from, Square to) {
        return new ChipMove(Optional.of(from), to);
    }

    /**
     * The move as the line protocol writes it.
     *
     * @return {@code 34} or {@code 34-56}
     */
    @Override
    public String toString() {
        return from.map(square -> square + "-" + to).orElseGet(to::toString);
    }
}
