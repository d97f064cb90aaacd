package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.claim.PendingClaim;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.History;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.history.Stalls;
import io.quarkiverse.lock.testkit.history.Violation;
import io.quarkiverse.lock.testkit.random.Duty;
import io.quarkiverse.lock.testkit.random.RandomChildren;
import io.quarkiverse.lock.testkit.random.RandomLoad;
import io.quarkiverse.lock.testkit.random.RandomUser;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * All faults at once: JVMs acquire a few locks in every possible way while a nemesis drops and delays their requests,
 * replies and messages, pauses and kills them, and releases their locks by force. A checker examines their history, even
 * during the run.
 *
 * <p>
 * {@code -Dlock.test.random.seconds=600} runs it for longer. {@code -Dlock.test.random.seed=…} with the seed that a failed run
 * logged repeats its requests and deeds, but their interleaving depends on the machine.
 */
class RandomRunTest {

    /** The hottest first. */
    static final List<String> NAMES = List.of("hot", "warm", "mild", "cool", "fresh", "cold", "icy", "frozen");

    private static final long SECONDS = Long.getLong("lock.test.random.seconds",
            Boolean.getBoolean("lock.test.full") ? 60 : 6);
    private static final long SEED = Long.getLong("lock.test.random.seed", ThreadLocalRandom.current().nextLong());
    private static final Duration IMPATIENT = Duration.ofMillis(500);
    private static final Duration PATIENT = Duration.ofSeconds(3);
    private static final Duration LINGER = Duration.ofSeconds(3);
    private static final int JVMS = 3;
    /** How long a pushed or unreleased grant is kept, regardless of the lease. */
    private static final Duration KEPT = Duration.ofNanos(PendingClaim.CLAIM_LEASE);
    private static final RandomLoad LOAD = new RandomLoad(NAMES, 8, Duration.ofSeconds(8), KEPT, 0);
    /** Enough for pending work to finish, but too short for a lease to end. */
    private static final Duration SOON = Duration.ofSeconds(5);

    private final History history = new History();
    @AutoClose
    private final Opened opened = new Opened();
    private final List<String> deeds = new ArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final List<RandomUser> users = new ArrayList<>();
    private final List<RedisLockBackend> backends = new ArrayList<>();
    private final Stalls stalls = opened.add(new Stalls(history::add));
    private RandomChildren child;
    private RedisNemesis harmful;
    private final long started = System.nanoTime();

    @TempDir
    Path directory;

    static RedisLockBackend backend(String url, String owner, Duration operationTimeout) {
        RedisConnections link = RedisConnections.to(
                new RedisLockOptions("lock:", operationTimeout, Duration.ofSeconds(60), false, "quarkus.redis."),
                vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(url)));
        return new RedisLockBackend(link, "random", owner);
    }

    @Test
    void randomRunsFindNoViolation() throws Throwable {
        say("-Dlock.test.random.seed=" + SEED + " -Dlock.test.random.seconds=" + SECONDS);
        RedisServer server = opened.add(RedisServer.start());
        var links = new ArrayList<ProxiedConnection>();
        for (int i = 0; i < JVMS; i++) {
            ProxiedConnection link = opened.add(new ProxiedConnection("jvm-" + i, i == 0 ? PATIENT : IMPATIENT, server));
            links.add(link);
            backends.add(backend(link.url(), link.toString(), link.operationTimeout()));
            users.add(opened.add(new RandomUser(link.toString(), backends.get(i), LOAD, SEED + i, Duty.NONE, history::add)));
        }
        links.add(opened.add(new ProxiedConnection("child", IMPATIENT, server)));
        ProxiedConnection childs = links.get(JVMS);
        child = opened.add(new RandomChildren("child", new ChildBackend.Spec(RandomChildBackend.class,
                List.of(childs.url(), childs.operationTimeout().toString())), LOAD, SEED + JVMS, 0,
                directory, history));
        LockEngine operator = opened.add(LockEngine.builder(backend(server.url(), "operator", PATIENT)).start());
        var victims = new RedisNemesis.Victims(server, links, child, this::linger,
                operator.manager(ManagerDefaults.STANDARD));
        harmful = new RedisNemesis(true, SEED, victims, history::add, this::log);
        // Up to here, and a moment longer, everything is slow because it runs for the first time
        history.add(HistoryEvent.fault(started, System.nanoTime() + 1_000_000_000));
        watch(harmful, new RedisNemesis(false, ~SEED, victims, history::add, this::log));

        users.forEach(RandomUser::stop);
        child.current().ask("stop", Duration.ofSeconds(60));
        for (RandomUser user : users) {
            user.join();
        }
        long joined = System.nanoTime();
        check();
        assertThat(child.current().ask("surprises")).isEmpty();
        nothingIsLeft(server, joined);
        say(deeds.size() + " deeds, granted " + users.stream().map(RandomUser::granted).toList() + " and, to the last child, "
                + child.current().ask("granted"));
        assertThat(users).allSatisfy(user -> assertThat(user.granted()).isGreaterThan(SECONDS / 2));
    }

    /** Runs the nemeses and checks the history every second. */
    private void watch(RedisNemesis... nemeses) throws Throwable {
        var threads = new ArrayList<Thread>();
        for (RedisNemesis each : nemeses) {
            var thread = new Thread(each, "nemesis");
            thread.setUncaughtExceptionHandler((ended, e) -> failures.add(e));
            thread.start();
            threads.add(thread);
        }
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (System.nanoTime() < end) {
                TimeUnit.SECONDS.sleep(1); // the run lasts a given time
                check();
            }
        } finally {
            for (RedisNemesis each : nemeses) {
                each.stop();
            }
            for (Thread each : threads) {
                each.join();
            }
        }
    }

    /** Checks the history up to a moment ago: newer events may not have been reported yet. */
    private void check() throws Throwable {
        assertThat(users).allSatisfy(user -> assertThat(user.surprises()).isEmpty());
        child.readHistory();
        long now = System.nanoTime() - 500_000_000;
        var underWay = new ArrayList<>(child.pausedNow()); // before the history, which lists a pause once it is over
        stalls.now().ifPresent(underWay::add);
        long since = harmful.harmingSince();
        List<HistoryEvent> events = history.events();
        events.addAll(underWay);
        if (since != 0) {
            events.add(HistoryEvent.fault(since, System.nanoTime()));
        }
        List<Violation> violations = HistoryChecker.STANDARD.check(events, now);
        if (!violations.isEmpty()) {
            Path file = Path.of("target", "random-" + SEED + ".history");
            events.stream().sorted(Comparator.comparingLong(HistoryEvent::to)).forEach(History.writer(file));
            say("the whole history is in " + file);
            throw new AssertionError("Seed " + SEED + ", after " + seconds() + " s, of " + events.size() + " events: "
                    + violations.subList(0, Math.min(3, violations.size())) + "\nDeeds:\n"
                    + String.join("\n", deeds.subList(Math.max(0, deeds.size() - 12), deeds.size())));
        }
        for (Throwable each : failures) {
            throw each; // last and unwrapped: a process too slow for a nemesis is no violation
        }
    }

    private void nothingIsLeft(RedisServer server, long joined) {
        try (TinyRedis redis = server.connect()) {
            var left = new ArrayList<String>();
            Await.until(() -> "nothing is left: " + left, () -> SOON.plus(stalls.since(joined)), () -> {
                left.clear();
                for (int i = 0; i < JVMS; i++) {
                    left.addAll(users.get(i).leftovers());
                    left.addAll(RandomChildBackend.pending(backends.get(i)));
                }
                left.addAll(List.of(child.current().ask("leftovers").split(";")));
                left.addAll(StoredClaims.of(redis));
                left.removeIf(String::isBlank);
                return left.isEmpty();
            });
        }
    }

    private void linger(ProxiedConnection link, boolean on) {
        for (int i = 0; i < JVMS; i++) {
            if (backends.get(i).arguments().owner().equals(link.toString())) {
                users.get(i).linger(on ? LINGER : Duration.ZERO);
            }
        }
    }

    private void log(String deed) {
        synchronized (deeds) {
            deeds.add(System.nanoTime() + " " + seconds() + " s: " + deed);
        }
    }

    /** Loggers have no handler here, and the seed of a failed run is expected in the output. */
    private static void say(String what) {
        System.out.println("RandomRunTest: " + what);
    }

    private long seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started);
    }
}
