package io.quarkiverse.lock.benchmarks;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Response;

/**
 * A thousand JVMs wait for one name, each with its own claim: the server's work when the name passes to the next one, and when
 * all of them ask again. The scripts alone, over one connection, and the server's own account of its time.
 */
final class WaitingClaims implements Workload {

    private static final String ONE = "1 waiting";
    private static final String TEN = "10 waiting";
    private static final List<String> KEY = RawScripts.key("one");
    /** Channel for messages to all of them. */
    private static final String CHANNEL = "lock:1:jvm:benchmark";
    private static final Pattern TIME = Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=(\\d+)");
    private static final double POKES_PER_SECOND = 1 / 0.95;

    private final Setup setup;
    private final int waiting;

    WaitingClaims(Setup setup) {
        this.setup = setup;
        this.waiting = Math.min(1_000, setup.holds() / 20);
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, ONE, TEN);
    }

    @Override
    public Sample measure(String side, long nanos) {
        int count = side.equals(ONE) ? 1 : side.equals(TEN) ? 10 : waiting;
        try (var scripts = new RawScripts(setup.url());
                TinyRedis stats = setup.redis().connect();
                TinyRedis messages = setup.redis().connect()) {
            messages.command("SUBSCRIBE", CHANNEL);
            drain(messages);
            stats.command("DEL", KEY.get(0));
            Deque<String> line = new ArrayDeque<>();
            for (int i = 0; i <= count; i++) {
                line.add(scripts.claim());
                ask(scripts, line.getLast());
            }
            long end = System.nanoTime() + nanos / 2;
            stats.command("CONFIG", "RESETSTAT");
            int errors = 0;
            int handedOn = 0;
            long start = System.nanoTime();
            while (System.nanoTime() < end) {
                String holder = line.remove();
                errors += is("RELEASED", scripts.connection.ask(scripts.release(KEY, holder)));
                errors += is("QUEUED", ask(scripts, holder));
                line.add(holder);
                handedOn++;
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            double handOver = 2 * nanosPerCall(stats);
            stats.command("CONFIG", "RESETSTAT");
            List<String> waiters = List.copyOf(line).subList(1, line.size());
            end = System.nanoTime() + nanos / 2;
            for (int i = 0; System.nanoTime() < end; i++) {
                errors += is("QUEUED", ask(scripts, waiters.get(i % waiters.size())));
                if (i % 100 == 99) {
                    ask(scripts, line.getFirst()); // extends its lease
                }
            }
            double poke = nanosPerCall(stats);
            return new Sample().put(Metric.CYCLES, handedOn / seconds).put(Metric.HAND_OVER, handOver).put(Metric.POKE, poke)
                    .put(Metric.POKES, POKES_PER_SECOND * waiters.size() * poke / 1e9).put(Metric.ERRORS, errors);
        }
    }

    private static Response ask(RawScripts scripts, String claim) {
        return scripts.connection.ask(scripts.acquire(KEY, claim, RawScripts.LEASE, CHANNEL));
    }

    private static int is(String status, Response reply) {
        return status.equals(reply.get(0).toString()) ? 0 : 1;
    }

    private static double nanosPerCall(TinyRedis stats) {
        Matcher time = TIME.matcher(String.valueOf(stats.text("INFO", "commandstats")));
        if (!time.find()) {
            throw new IllegalStateException("No script has run");
        }
        return Double.parseDouble(time.group(2)) * 1_000 / Double.parseDouble(time.group(1));
    }

    /** Ends when the connection is closed. */
    private static void drain(TinyRedis messages) {
        var reader = new Thread(() -> {
            try {
                while (true) {
                    messages.read();
                }
            } catch (RuntimeException e) {
                // closed, or silent for long
            }
        }, "messages");
        reader.setDaemon(true);
        reader.start();
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.atMost(2.5, Metric.HAND_OVER, ONE), Bar.atLeast(0.8, Metric.CYCLES, TEN),
                Bar.atMost(0.04, Metric.POKES), Bar.atMost(0, Metric.ERRORS));
    }

    @Override
    public void close() {
    }
}
