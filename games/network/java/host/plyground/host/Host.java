package plyground.host;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Plays a submission's class over the line protocol, on standard input and output. What the
 * submission prints goes to standard error, and it has no input.
 */
public final class Host {
    /** The exit code when the submission failed. */
    private static final int CRASH = 1;

    /** The exit code when the submission ended the program. */
    private static final int EXIT_CALLED = 3;

    private static volatile boolean isOver;

    private Host() {}

    /**
     * Runs the program.
     *
     * @param arguments the name of the class, and, if its players are not to decide that for
     *     themselves, how many plies they look ahead
     */
    public static void main(String[] arguments) {
        PrintStream answers = new PrintStream(
                new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        InputStreamReader lines = new InputStreamReader(System.in, StandardCharsets.UTF_8);
        // Of the folders for temporary files it may write only in its own.
        Optional.ofNullable(System.getenv("TMPDIR"))
                .ifPresent(folder -> System.setProperty("java.io.tmpdir", folder));
        System.setOut(System.err);
        System.setIn(InputStream.nullInputStream());
        Runtime.getRuntime().addShutdownHook(new Thread(Host::refuseExit));
        end(play(arguments, answers, new BufferedReader(lines)));
    }

    private static int play(String[] arguments, PrintStream answers, BufferedReader lines) {
        try {
            OptionalInt depth = arguments.length > 1
                    ? OptionalInt.of(Integer.parseInt(arguments[1]))
                    : OptionalInt.empty();
            SubmissionClass submission = new SubmissionClass(arguments[0], depth);
            new Conversation(submission, answers).run(lines);
            return 0;
        } catch (InvocationTargetException thrown) {
            // What the player threw says more than how it was called.
            thrown.getCause().printStackTrace();
        } catch (NoSuchMethodException missing) {
            // Where the class was looked at says nothing to its author.
            System.err.println(missing.getMessage());
        } catch (Exception | LinkageError | VirtualMachineError failure) {
            failure.printStackTrace();
        }
        return CRASH;
    }

    private static void end(int code) {
        isOver = true;
        System.exit(code);
    }

    /** A submission that exits in the middle of a game must not look as if all were well. */
    private static void refuseExit() {
        if (!isOver) {
            System.err.println("the player ended the program");
            System.err.flush();
            Runtime.getRuntime().halt(EXIT_CALLED);
        }
    }
}
