package io.quarkiverse.lock.testkit.process;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Signals for processes that this JVM has started. */
public final class Signals {

    private Signals() {
    }

    /** Stops the process where it is: it keeps its connections and does nothing, as in a very long garbage collection. */
    public static void pause(Process process) {
        send("STOP", process);
    }

    /** Lets a paused process go on. */
    public static void resume(Process process) {
        send("CONT", process);
    }

    /** {@link #pause(Process)} for a process that was started elsewhere; one that has ended is left alone. */
    public static void pause(ProcessHandle process) {
        send("STOP", process);
    }

    /** {@link #resume(Process)} for a process that was started elsewhere; one that has ended is left alone. */
    public static void resume(ProcessHandle process) {
        send("CONT", process);
    }

    /** Asks the process to end. */
    public static void terminate(Process process) {
        send("TERM", process);
    }

    /** Ends the process, paused or not, without giving it a chance to do anything, and waits until it is gone. */
    public static void kill(Process process) {
        process.destroyForcibly();
        awaitExit(process);
    }

    private static void awaitExit(Process process) {
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Process " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(String signal, Process process) {
        send(signal, process.toHandle());
    }

    private static void send(String signal, ProcessHandle process) {
        try {
            var kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
            if (kill.waitFor() != 0 && process.isAlive()) {
                throw new IllegalStateException("Cannot send " + signal + " to process " + process.pid());
            }
        } catch (IOException e) {
            throw new IllegalStateException("Cannot send " + signal + " to process " + process.pid(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
