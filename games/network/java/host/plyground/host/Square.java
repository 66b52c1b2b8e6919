package plyground.host;

/**
 * A place on the board, or off it: submissions may name any.
 *
 * @param x the column, from 0 at the left
 * @param y the row, from 0 at the top
 */
record Square(int x, int y) {
    private static final int DIGITS = 10;

    /**
     * Reads a square.
     *
     * @param text two digits, column and row
     * @return the square
     * @throws IllegalArgumentException when the text is anything else
     */
    static Square parse(String text) {
        if (!text.matches("[0-9]{2}")) {
            throw new IllegalArgumentException("`" + text + "` is no square");
        }
        return new Square(text.charAt(0) - '0', text.charAt(1) - '0');
    }

    /**
     * The square as the line protocol writes it.
     *
     * @return two digits; for a place far off the board a text that cannot be taken for a square
     */
    @Override
    public String toString() {
        return isDigit(x) && isDigit(y) ? "" + x + y : "(" + x + "," + y + ")";
    }

    private static boolean isDigit(int number) {
        return 0 <= number && number < DIGITS;
    }
}
