package io.quarkiverse.lock.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Signals for processes that this JVM has started. */
public final class Signals {

    private Signals() {
    }

    /**
     * Stops the process where it is: it keeps its connections and does nothing, as in a very long garbage collection. Returns
     * when it has stopped.
     */
    public static void pause(Process process) {
        pause(process.toHandle());
    }

    /** Lets a paused process continue. */
    public static void resume(Process process) {
        send("CONT", process);
    }

    /** {@link #pause(Process)} for a process that was started elsewhere; one that has ended is left alone. */
    public static void pause(ProcessHandle process) {
        send("STOP", process);
        awaitStop(process);
    }

    /** {@link #resume(Process)} for a process that was started elsewhere; one that has ended is left alone. */
    public static void resume(ProcessHandle process) {
        send("CONT", process);
    }

    /** {@link #resume(ProcessHandle)} for many: starting a process for each of them takes time. */
    public static void resume(List<ProcessHandle> processes) {
        send("CONT", processes);
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

    /** The signal alone stops nothing: one of the threads must get a processor, notice the signal, and stop the others. */
    private static void awaitStop(ProcessHandle process) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (process.isAlive() && !stopped(process)) {
            if (System.nanoTime() - giveUp > 0) {
                throw new IllegalStateException("Process " + process.pid() + " does not stop");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Also true where this cannot be determined. */
    private static boolean stopped(ProcessHandle process) {
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        if (!Files.isDirectory(threads)) {
            return true;
        }
        try (Stream<Path> all = Files.list(threads)) {
            return all.allMatch(thread -> "TtZX".indexOf(state(thread)) >= 0);
        } catch (IOException | UncheckedIOException e) {
            return false; // some thread has ended meanwhile
        }
    }

    /** The letter after the name, which is in parentheses. */
    private static char state(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        send(signal, List.of(process));
    }

    /** Sends the signal to all that have not ended. */
    private static void send(String signal, List<ProcessHandle> processes) {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        processes.forEach(each -> command.add(Long.toString(each.pid())));
        try {
            // Not inherited: kill complains about each process that has ended
            var kill = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start();
            if (kill.waitFor() != 0 && processes.stream().allMatch(ProcessHandle::isAlive)) {
                throw new IllegalStateException("Cannot send " + signal + " to " + processes);
            }
        } catch (IOException e) {
            throw new IllegalStateException("Cannot send " + signal + " to " + processes, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
