import java.util.NoSuchElementException;

/** The session: it asks how many humans play, and shows the board after every move. */
public class Network {
    /** Nobody wins yet: the game is broken off after so many moves. */
    private static final int MOST_MOVES = 100;

    public static void main(String[] args) {
        System.out.print("Enter the number of human players (0, 1 or 2): ");
        int humans;
        try {
            humans = Integer.parseInt(HumanPlayer.INPUT.nextLine().trim());
        } catch (NoSuchElementException | NumberFormatException none) {
            System.out.println("\nExpected a number.");
            return;
        }
        Player first = humans > 0 ? new HumanPlayer(1) : new ComputerPlayer(1);
        Player second = humans > 1 ? new HumanPlayer(2) : new ComputerPlayer(2);
        play(first, second);
    }

    private static void play(Player player, Player opponent) {
        Board board = new Board();
        System.out.print(board);
        for (int moves = 0; moves < MOST_MOVES; moves++) {
            Move move = player.getMove();
            if (move == null) {
                System.out.println("\nNo more input.");
                return;
            }
            opponent.OpponentMove(move);
            board.play(player.playerNum, move);
            System.out.print(board);
            // Here is the place to see whether somebody has a network, to print it and to end.
            Player next = opponent;
            opponent = player;
            player = next;
        }
        System.out.println("Nobody has won after " + MOST_MOVES + " moves.");
    }
}
