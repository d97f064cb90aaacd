package io.quarkiverse.lock.it.faults.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.ChildJvm;

/** JVMs that use a store for a long time, and are inspected now and then. */
final class Soak implements AutoCloseable {

    private static final int JVMS = 2;
    /** Enough for three collections, on a machine that is busy with much else. */
    private static final Duration ANSWER = Duration.ofSeconds(60);
    private static final Duration STOP = Duration.ofSeconds(90);
    /** Longer than the longest lease that is not renewed. */
    private static final Duration END_OF_LEASES = Duration.ofSeconds(20);

    private final SoakStore store;
    private final List<ChildJvm> jvms = new ArrayList<>();

    Soak(SoakStore store) {
        this.store = store;
        for (int i = 0; i < JVMS; i++) {
            jvms.add(ChildJvm.start(List.of("-Xmx256m"), SoakChild.class, SoakChild.arguments("jvm" + i, store)));
        }
    }

    /** Returns one sample per interval. */
    List<SoakSample> run(Duration time, Duration interval, Consumer<List<SoakSample>> meanwhile) throws Exception {
        var samples = new ArrayList<SoakSample>();
        long started = System.nanoTime();
        for (Duration at = interval; at.compareTo(time) <= 0; at = at.plus(interval)) {
            // A soak consists of time
            TimeUnit.NANOSECONDS.sleep(started + at.toNanos() - System.nanoTime());
            samples.add(sample(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started)));
            meanwhile.accept(samples);
        }
        return samples;
    }

    private SoakSample sample(long seconds) throws IOException {
        // First, so that the JVMs have counted the names of everything found there
        Map<String, Long> leftovers = store.leftovers();
        var each = new ArrayList<SoakSample.Jvm>();
        for (ChildJvm jvm : jvms) {
            String answer = jvm.ask("sample", ANSWER);
            each.add(SoakSample.Jvm.parse(answer, descriptors(jvm)));
        }
        return new SoakSample(seconds, each, leftovers, store.steady(), store.shown());
    }

    private static long descriptors(ChildJvm jvm) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + jvm.pid() + "/fd"))) {
            return open.count();
        }
    }

    /** All requests stop: in the end nothing is left, neither in the JVMs nor in the store. */
    void end() throws Exception {
        for (ChildJvm each : jvms) {
            each.ask("stop", STOP);
        }
        Await.until(() -> "nothing is held: " + jvms.stream().map(each -> each.ask("sample")).toList(), END_OF_LEASES,
                () -> jvms.stream().map(each -> SoakSample.Jvm.parse(each.ask("sample"), 0))
                        .allMatch(each -> each.held() == 0 && each.counts().get("abandoned") == 0));
        Await.until(() -> "nothing is left in the store: " + store.leftovers(), store.memory().plus(END_OF_LEASES),
                () -> store.leftovers().values().stream().allMatch(count -> count == 0));
    }

    @Override
    public void close() {
        jvms.forEach(ChildJvm::close);
    }
}
