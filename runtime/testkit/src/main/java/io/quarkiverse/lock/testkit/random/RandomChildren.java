package io.quarkiverse.lock.testkit.random;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.History;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.process.ChildJvm;

/**
 * One child JVM after the other, over one link: when one is killed the next is started. Their observations are passed in files,
 * which survive them.
 *
 * <pre>{@code
 * try (RandomChildren child = new RandomChildren("jvm-1", spec, load, seed, 0, directory, history)) {
 *     child.pause();
 *     child.resume();
 *     child.replace();
 *     child.readHistory();
 * }
 * }</pre>
 */
public final class RandomChildren implements AutoCloseable {

    private static final Duration END = Duration.ofSeconds(30);

    private final String name;
    private final History history;
    private final IntFunction<ChildJvm> starter;
    private final Path directory;
    private final List<Path> files = new ArrayList<>();
    private volatile ChildJvm current;
    private volatile String process = "";
    private volatile long pausedSince;

    /**
     * Starts the first one.
     *
     * @param register the port of a {@link FencedRegister}; 0 for none
     * @param directory for the files
     */
    public RandomChildren(String name, ChildBackend.Spec spec, RandomLoad load, long seed, int register, Path directory,
            History history) {
        this.name = name;
        this.directory = directory;
        this.history = history;
        this.starter = number -> ChildJvm.start(List.of("-Xmx128m"), RandomChild.class,
                RandomChild.arguments(process, file(), spec, load, seed + number, register));
        current = start();
    }

    private ChildJvm start() {
        int number;
        synchronized (files) {
            number = files.size();
            process = name + "-" + number;
            files.add(file());
        }
        return starter.apply(number);
    }

    private Path file() {
        return directory.resolve(process);
    }

    /** The one that runs. */
    public ChildJvm current() {
        return current;
    }

    /** Adds what has happened since the last call. */
    public void readHistory() {
        synchronized (files) {
            files.forEach(history::read);
        }
    }

    /** Pauses it, as a very long garbage collection would. */
    public void pause() {
        pausedSince = System.nanoTime();
        current.pause();
    }

    public void resume() {
        if (pausedSince != 0) {
            current.resume();
            history.add(HistoryEvent.paused(process, pausedSince, System.nanoTime()));
            pausedSince = 0;
        }
    }

    /** The pause that has not ended yet, which the paused process cannot report. */
    public List<HistoryEvent> pausedNow() {
        long since = pausedSince;
        return since == 0 ? List.of() : List.of(HistoryEvent.paused(process, since, System.nanoTime()));
    }

    /** Kills it and starts another one. */
    public void replace() {
        kill();
        startAgain();
    }

    /** {@code kill -9}. */
    public void kill() {
        current.kill();
        ended();
    }

    /** Tells it to end, as an operating system does, and waits until it has ended. */
    public void terminate() {
        current.terminate();
        current.awaitExit(END);
        ended();
    }

    private void ended() {
        history.add(HistoryEvent.killed(process, System.nanoTime()));
        current.close();
    }

    /** Starts another one if this one has ended. */
    public void startAgain() {
        if (!current.isRunning()) {
            current = start();
        }
    }

    /** The history's name for the one that runs. */
    public String process() {
        return process;
    }

    @Override
    public void close() {
        current.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
