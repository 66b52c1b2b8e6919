package a.player;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;

/** A submission in Java, in a package of its own, which looks as far ahead as it is told. */
public class maxconnect4 {
    public static void main(String[] args) throws IOException {
        String text = new String(Files.readAllBytes(Paths.get(args[1]))).replaceAll("[^012]", "");
        Board board = new Board(text.substring(0, 42));
        int side = text.charAt(42) - '1';
        System.out.println("MaxConnect-4 game\ngame state before move:\n" + board);
        if (board.isFull()) {
            System.out.println("BOARD FULL");
            return;
        }
        int column = new Search(board).best(side, Integer.parseInt(args[3]));
        board.drop(column, side);
        System.out.println("move: Player " + (side + 1) + ", column " + (column + 1) + "\n" + board);
        Files.write(Paths.get(args[2]), board.file(2 - side).getBytes());
    }
}
