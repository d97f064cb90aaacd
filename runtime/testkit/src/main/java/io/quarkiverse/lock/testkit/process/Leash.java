package io.quarkiverse.lock.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;

/**
 * Ends a child process when this JVM ends, however it ends. A shutdown hook cannot do that when this JVM is killed, and closing
 * the child's input cannot do it when the child is paused. Therefore a shell waits for the end of its own input and then kills
 * the child.
 */
public final class Leash implements AutoCloseable {

    private final Process child;
    private final Process shell;
    private final Thread hook;

    private Leash(Process child, Process shell) {
        this.child = child;
        this.shell = shell;
        this.hook = new Thread(child::destroyForcibly, "end-" + child.pid());
    }

    /** Puts the process on a leash. Close the leash when the process has ended: its id may soon be reused. */
    public static Leash on(Process child) {
        try {
            var shell = new ProcessBuilder("sh", "-c", "cat >/dev/null; kill -9 " + child.pid() + " 2>/dev/null")
                    .redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD).start();
            var leash = new Leash(child, shell);
            Runtime.getRuntime().addShutdownHook(leash.hook);
            return leash;
        } catch (IOException e) {
            child.destroyForcibly();
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the child if it still runs. */
    @Override
    public void close() {
        // The shell first: it would mistake the end of its input for the end of this JVM
        Signals.kill(shell);
        if (child.isAlive()) {
            Signals.kill(child);
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // This JVM is shutting down, and the hook does the same again
        }
    }
}
