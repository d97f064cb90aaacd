package io.quarkiverse.lock.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.process.ChildMain;

/** One of the JVMs whose threads read in {@link WriterAmongReaders}. Public for its launcher. */
public final class ReadingJvm implements ChildMain {

    private static final int THREADS = 4;

    private @Nullable Peer peer;
    private @Nullable SharedMemory shared;
    private String name = "";

    /** The server, the name, the file. */
    @Override
    public void start(String[] arguments, Child child) {
        peer = Library.OURS.open(arguments[0]);
        name = arguments[1];
        shared = new SharedMemory(Path.of(arguments[2]), 2);
    }

    /** When to start, for how long, and how long to hold. Answers with the number of reads. */
    @Override
    public String handle(String request, Child child) {
        Peer connected = peer;
        SharedMemory written = shared;
        if (connected == null || written == null) {
            throw new IllegalStateException("Not started");
        }
        String[] words = request.split(" ");
        var crew = new Crew(new Load(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), true));
        List<Guarded> reads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            reads.add(Guarded.local());
            crew.member(new Reader(connected.shared(name), written), reads.get(i));
        }
        crew.run(Crew.PLATFORM);
        return String.valueOf(reads.stream().mapToLong(Guarded::count).sum());
    }

    /** Nobody may write while it reads. */
    private static final class Reader implements Mutex {

        private final Mutex lock;
        private final SharedMemory written;
        private long before;

        Reader(Mutex lock, SharedMemory written) {
            this.lock = lock;
            this.written = written;
        }

        @Override
        public void lock() {
            lock.lock();
            before = written.count();
        }

        @Override
        public void unlock() {
            if (written.count() != before || before % 2 != 0) {
                throw new IllegalStateException("Written while it was read");
            }
            lock.unlock();
        }
    }
}
