package io.quarkiverse.lock.redis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.testkit.history.History;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.process.ChildJvm;

/** One child JVM after the other, over one link. What they see comes through files, which survive them. */
final class RandomChildren implements Nemesis.Child, AutoCloseable {

    private final ProxiedLink link;
    private final long seed;
    private final int threads;
    private final Path directory;
    private final History history;
    private final List<Path> files = new ArrayList<>();
    private volatile ChildJvm current;
    private volatile String process;
    private volatile long pausedSince;

    RandomChildren(ProxiedLink link, long seed, int threads, Path directory, History history) {
        this.link = link;
        this.seed = seed;
        this.threads = threads;
        this.directory = directory;
        this.history = history;
        start();
    }

    private void start() {
        int number = files.size();
        process = "child-" + number;
        Path file = directory.resolve(process);
        synchronized (files) {
            files.add(file);
        }
        current = ChildJvm.start(List.of("-Xmx128m"), RandomChild.class, process, link.url(),
                link.operationTimeout().toString(), Long.toString(seed + number),
                Integer.toString(threads), file.toString());
    }

    ChildJvm current() {
        return current;
    }

    void readHistory() {
        synchronized (files) {
            files.forEach(history::read);
        }
    }

    @Override
    public void pause() {
        pausedSince = System.nanoTime();
        current.pause();
    }

    @Override
    public void resume() {
        current.resume();
        history.add(HistoryEvent.paused(process, pausedSince, System.nanoTime()));
        pausedSince = 0;
    }

    /** The pause that has not ended yet, which nobody could tell of. */
    List<HistoryEvent> pausedNow() {
        long since = pausedSince;
        return since == 0 ? List.of() : List.of(HistoryEvent.paused(process, since, System.nanoTime()));
    }

    @Override
    public void replace() {
        current.kill();
        history.add(HistoryEvent.killed(process, System.nanoTime()));
        current.close();
        start();
    }

    @Override
    public void close() {
        current.close();
    }
}
