/** A game between two players of the USF course. Prints the moves. */
public class UsfCourse {
    private UsfCourse() {}

    public static void main(String[] arguments) {
        Player[] players = {new ComputerPlayer(1), new ComputerPlayer(2)};
        int mover = 0;
        Move move = players[mover].getMove();
        while (move != null) {
            boolean isPlace = move.moveType == Move.MoveType.PLACE_PIECE;
            String from = isPlace ? "" : "" + move.fromRow + move.fromCol + " ";
            System.out.println(from + move.toRow + move.toCol);
            mover = 1 - mover;
            players[mover].OpponentMove(move);
            move = players[mover].getMove();
        }
    }
}
