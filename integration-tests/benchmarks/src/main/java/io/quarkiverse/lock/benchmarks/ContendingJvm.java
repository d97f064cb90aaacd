package io.quarkiverse.lock.benchmarks;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.process.ChildMain;

/** One of the JVMs that {@link Jvms} lets compete. Public for its launcher. */
public final class ContendingJvm implements ChildMain {

    private @Nullable Peer peer;
    private @Nullable Guarded guarded;
    private String name = "";
    private int threads;

    /** Library, server, name, file, number, threads. */
    @Override
    public void start(String[] arguments, Child child) {
        peer = Library.valueOf(arguments[0]).open(arguments[1]);
        name = arguments[2];
        guarded = new SharedMemory(Path.of(arguments[3]), Long.parseLong(arguments[4]));
        threads = Integer.parseInt(arguments[5]);
    }

    /** When to start, for how long, and how long to hold. */
    @Override
    public String handle(String request, Child child) {
        Peer connected = peer;
        Guarded shared = guarded;
        if (connected == null || shared == null) {
            throw new IllegalStateException("Not started");
        }
        String[] words = request.split(" ");
        var crew = new Crew(new Load(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), true));
        for (int i = 0; i < threads; i++) {
            crew.member(connected.mutex(name), shared);
        }
        return TallyText.write(Tally.sum(crew.run(Crew.PLATFORM)));
    }
}
