package io.quarkiverse.lock.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.quarkiverse.lock.testkit.process.ChildJvm;

/**
 * The cost of an application that has used locks and is now idle: requests to the store, and wake-ups of its threads, both per
 * minute. Compared with one that only has a client of the same store, and one that holds a lock.
 */
final class IdleApplication implements Workload {

    private static final String CLIENT = "client";
    private static final String HOLDING = "holding one";
    private static final List<String> OPTIONS = List.of("-Xmx256m",
            "-Djava.util.logging.manager=org.jboss.logmanager.LogManager");
    /** By then compilers and garbage collectors have finished, and PostgreSQL's statistics include it. */
    private static final long TO_SETTLE = TimeUnit.SECONDS.toNanos(15);
    /** A round of the full run is a minute. */
    private static final int LONGER = 20;

    private final String url;
    private final List<Bar> bars;
    private double clientRequests;
    private double clientWakeUps;

    /**
     * @param requests the maximum number per minute beyond the client alone
     * @param wakeUps the same for wake-ups
     */
    private IdleApplication(Setup setup, double requests, double wakeUps) {
        url = setup.url();
        bars = List.of(Bar.atMost(requests, Metric.MORE_IDLE_REQUESTS), Bar.atMost(wakeUps, Metric.MORE_WAKE_UPS));
    }

    /** Every five seconds: is it still a master, which level has the key prefix, and does a message to itself arrive? */
    static Workload onRedis(Setup setup) {
        return new IdleApplication(setup, 40, 100);
    }

    /** Every ten seconds: is the listening connection alive? The rest is the server's own work. */
    static Workload onPostgres(Setup setup) {
        return new IdleApplication(setup, 10, 60);
    }

    /** Six small requests in a session's timeout, most of them instead of the client's pings. */
    static Workload onZooKeeper(Setup setup) {
        return new IdleApplication(setup, 10, 90);
    }

    @Override
    public List<String> sides() {
        return List.of(CLIENT, HOLDING, Bar.OURS);
    }

    @Override
    public Sample measure(String side, long nanos) {
        try (ChildJvm jvm = ChildJvm.start(OPTIONS, IdleJvm.class, url, Boolean.toString(!side.equals(CLIENT)))) {
            var requests = new StoreRequests(url);
            if (side.equals(HOLDING)) {
                jvm.ask("");
            }
            pause(Math.min(TO_SETTLE, nanos * LONGER));
            long start = System.nanoTime();
            long askedBefore = requests.count();
            long wokenBefore = wakeUps(jvm.pid());
            pause(nanos * LONGER);
            double minutes = (System.nanoTime() - start) / 60e9;
            double asked = (requests.count() - askedBefore) / minutes;
            double woken = (wakeUps(jvm.pid()) - wokenBefore) / minutes;
            if (side.equals(CLIENT)) {
                clientRequests = asked;
                clientWakeUps = woken;
            }
            return new Sample().put(Metric.CYCLES, 1 / (minutes * 60)).put(Metric.IDLE_REQUESTS, asked)
                    .put(Metric.WAKE_UPS, woken).put(Metric.MORE_IDLE_REQUESTS, asked - clientRequests)
                    .put(Metric.MORE_WAKE_UPS, woken - clientWakeUps);
        }
    }

    private static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos); // the observed period
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The voluntary ones of all its threads. */
    private static long wakeUps(long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.mapToLong(IdleApplication::switches).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long switches(Path thread) {
        try (Stream<String> lines = Files.lines(thread.resolve("status"))) {
            return lines.filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip())).sum();
        } catch (NoSuchFileException e) {
            return 0; // it has ended
        } catch (IOException | UncheckedIOException e) {
            return 0; // it ended while it was read
        }
    }

    @Override
    public List<Bar> bars() {
        return bars;
    }

    @Override
    public boolean once() {
        return true;
    }

    @Override
    public void close() {
    }
}
