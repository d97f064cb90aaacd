package io.quarkiverse.lock.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.quarkiverse.lock.testkit.process.ChildJvm;

/** Several JVMs whose threads all read without a pause, and a thread here that wants to write now and then. */
final class WriterAmongReaders implements Workload {

    private static final long HOLD = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(30);
    private static final long TO_GET_READY = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Duration TO_FINISH = Duration.ofSeconds(60);
    private static final String NAME = "read-and-written";

    private final Path file;
    private final SharedMemory shared;
    private final Peer peer;
    private final List<ChildJvm> children = new ArrayList<>();

    WriterAmongReaders(Setup setup) {
        try {
            file = Files.createTempFile("lock-benchmark-", ".counter");
            Files.write(file, new byte[16]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        shared = new SharedMemory(file, 1);
        peer = Library.OURS.open(setup.url());
        for (int i = 0; i < setup.jvms(); i++) {
            children.add(ChildJvm.start(Contenders.OPTIONS, ReadingJvm.class, setup.url(), NAME, file.toString()));
        }
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS);
    }

    @Override
    public Sample measure(String side, long nanos) {
        long start = System.nanoTime() + TO_GET_READY;
        String request = start + " " + nanos + " " + HOLD;
        List<CompletableFuture<String>> readers = children.stream().map(child -> child.send(request)).toList();
        Guarded writes = Guarded.local();
        Tally written = new Crew(new Load(start, nanos, HOLD, true)).member(new Writer(peer.mutex(NAME)), writes)
                .run(Crew.PLATFORM).get(0);
        long reads = 0;
        for (var reader : readers) {
            reads += Long.parseLong(reader.orTimeout(TO_FINISH.toNanos(), TimeUnit.NANOSECONDS).join());
        }
        if (reads == 0) {
            throw new IllegalStateException("Nobody has read");
        }
        Exclusion.check(side, written.total(), writes.count());
        return Sample.of(written);
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(3 * HOLD + TimeUnit.MILLISECONDS.toNanos(20), Metric.P99));
    }

    @Override
    public void close() {
        children.forEach(ChildJvm::close);
        peer.close();
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Leaves a trace at both ends of its work, between which no reader may be active; then it rests. */
    private final class Writer implements Mutex {

        private final Mutex lock;

        Writer(Mutex lock) {
            this.lock = lock;
        }

        @Override
        public void lock() {
            lock.lock();
            shared.touch();
        }

        @Override
        public void unlock() {
            shared.touch();
            lock.unlock();
            LockSupport.parkNanos(PAUSE);
        }
    }
}
