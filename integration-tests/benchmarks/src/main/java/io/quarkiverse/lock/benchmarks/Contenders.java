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

import io.quarkiverse.lock.testkit.process.ChildJvm;

/** Child JVMs that compete for one name with one library. */
final class Contenders implements AutoCloseable {

    /** As for a server, not for a short test. */
    static final List<String> OPTIONS = List.of("-XX:TieredStopAtLevel=4", "-Xmx256m",
            "-Djava.util.logging.manager=org.jboss.logmanager.LogManager");
    private static final long TO_GET_READY = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Duration TO_FINISH = Duration.ofSeconds(60);

    private final Library library;
    private final Path file;
    private final SharedMemory shared;
    private final List<ChildJvm> children = new ArrayList<>();

    Contenders(Library library, String url, int jvms, int threads) {
        this.library = library;
        try {
            file = Files.createTempFile("lock-benchmark-", ".counter");
            Files.write(file, new byte[16]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        shared = new SharedMemory(file, 0);
        for (int i = 1; i <= jvms; i++) {
            children.add(ChildJvm.start(OPTIONS, ContendingJvm.class,
                    library.name(), url, "contended", file.toString(), String.valueOf(i), String.valueOf(threads)));
        }
    }

    Sample compete(long nanos, long holdNanos) {
        long before = shared.count();
        String request = (System.nanoTime() + TO_GET_READY) + " " + nanos + " " + holdNanos;
        List<CompletableFuture<String>> answers = children.stream().map(child -> child.send(request)).toList();
        List<Tally> tallies = answers.stream().map(answer -> TallyText.read(finish(answer, nanos))).toList();
        Tally all = Tally.sum(tallies);
        Exclusion.check(library.label() + " between JVMs", all.total(), shared.count() - before);
        return Sample.of(all).put(Metric.JVM_SHARE, Tally.share(tallies.stream().mapToLong(Tally::total).toArray()));
    }

    private static String finish(CompletableFuture<String> answer, long nanos) {
        return answer.orTimeout(nanos + TO_FINISH.toNanos(), TimeUnit.NANOSECONDS).join();
    }

    @Override
    public void close() {
        children.forEach(ChildJvm::close);
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
