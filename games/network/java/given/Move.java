/**
 * A move of Network, as the players of the USF assignment give it to each other. It stands in for
 * the course's own class where a submission comes without it.
 *
 * <p>Rows are letters from A at the top, columns numbers from 1 at the left.
 */
public class Move {
    /** What a move does. */
    public enum MoveType {
        /** A new piece comes to the board. */
        PLACE_PIECE,
        /** A piece goes to another place. */
        MOVE_PIECE
    }

    /** The row to which a piece comes, from A to H. */
    public char toRow;

    /** The column to which a piece comes, from 1 to 8. */
    public int toCol;

    /** The row that a piece leaves, if it was on the board. */
    public char fromRow;

    /** The column that a piece leaves, if it was on the board. */
    public int fromCol;

    /** What the move does. */
    public MoveType moveType;

    /**
     * A move that places a piece.
     *
     * @param row the row, from A to H
     * @param col the column, from 1 to 8
     */
    public Move(char row, int col) {
        moveType = MoveType.PLACE_PIECE;
        toRow = row;
        toCol = col;
    }

    /**
     * A move that takes a piece to another place.
     *
     * @param fromRow the row that it leaves, from A to H
     * @param fromCol the column that it leaves, from 1 to 8
     * @param toRow the row to which it comes, from A to H
     * @param toCol the column to which it comes, from 1 to 8
     */
    public Move(char fromRow, int fromCol, char toRow, int toCol) {
        moveType = MoveType.MOVE_PIECE;
        this.fromRow = fromRow;
        this.fromCol = fromCol;
        this.toRow = toRow;
        this.toCol = toCol;
    }
}
