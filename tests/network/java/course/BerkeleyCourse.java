import player.MachinePlayer;
import player.Move;
import player.Player;

/** A game between two players of the Berkeley course. Prints the moves, and what is wrong. */
public class BerkeleyCourse {
    private static final int BLACK = 0;
    private static final int WHITE = 1;

    private BerkeleyCourse() {}

    public static void main(String[] arguments) {
        Player[] players = new Player[2];
        players[BLACK] = new MachinePlayer(BLACK, 1);
        players[WHITE] = new MachinePlayer(WHITE, 2);

        expect(false, players[BLACK].forceMove(new Move(3, 3)), "forced out of turn");
        expect(false, players[WHITE].opponentMove(new Move(3, 3)), "opponent out of turn");
        expect(false, players[BLACK].opponentMove(new Move(7, 7)), "a corner");
        expect(false, players[BLACK].opponentMove(new Move(12, -3)), "off the board");
        expect(false, players[BLACK].opponentMove(new Move(1, 1, 2, 2)), "a step too early");
        expect(false, players[WHITE].forceMove(new Move(3, 0)), "the other's goal");
        expect(false, players[WHITE].forceMove(new Move()), "quitting");
        expect(true, players[WHITE].forceMove(new Move(1, 1)), "a first move");
        expect(true, players[BLACK].opponentMove(new Move(1, 1)), "a first move");
        System.out.println(new Move(1, 1));

        int mover = BLACK;
        Move move = players[mover].chooseMove();
        while (move.moveKind != Move.QUIT) {
            System.out.println(move);
            mover = 1 - mover;
            expect(true, players[mover].opponentMove(move), "a chosen move");
            move = players[mover].chooseMove();
        }
    }

    private static void expect(boolean expected, boolean actual, String what) {
        if (expected != actual) {
            System.out.println(what + ": expected " + expected);
        }
    }
}
