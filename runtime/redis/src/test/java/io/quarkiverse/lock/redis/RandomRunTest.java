package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.history.History;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.history.Violation;
import io.quarkiverse.lock.testkit.process.ChildJvm;
import io.quarkiverse.lock.testkit.random.RandomUser;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * The protocol under everything at once: JVMs that take a few locks in all ways there are, and a nemesis that loses and delays
 * their requests, replies and messages, pauses and kills them, and takes their locks away. A checker looks at what they saw,
 * also while it runs.
 *
 * <p>
 * {@code -Dlock.test.random.seconds=600} runs it for longer, {@code -Dlock.test.random.seed=…} with the seed that a failed run
 * has logged: the requests and the deeds are the same then, their interleaving is up to the machine.
 */
class RandomRunTest {

    /** The hottest first. */
    static final List<String> NAMES = List.of("hot", "warm", "cool", "cold");

    private static final Logger LOG = Logger.getLogger(RandomRunTest.class);
    private static final long SECONDS = Long.getLong("lock.test.random.seconds", 60);
    private static final long SEED = Long.getLong("lock.test.random.seed", ThreadLocalRandom.current().nextLong());
    private static final Duration OPERATION_TIMEOUT = Duration.ofMillis(500);
    private static final int JVMS = 3;
    private static final int THREADS = 4;
    /** By when what was under way at the end has come to its end, but not yet by the end of a lease. */
    private static final Duration SOON = Duration.ofSeconds(5);

    private final History history = new History();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<String> deeds = new ArrayList<>();
    private final long started = System.nanoTime();

    @TempDir
    Path directory;

    @AfterEach
    void closeAll() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    static RedisLockBackend backend(String url, String owner) {
        RedisLink link = RedisLink.to(
                new RedisLinkOptions("lock:", OPERATION_TIMEOUT, Duration.ofSeconds(60), false, "quarkus.redis."),
                vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(url)));
        return new RedisLockBackend(link, "random", owner);
    }

    static List<String> leftovers(RandomUser user, RedisLockBackend backend) throws Exception {
        var left = new ArrayList<>(user.leftovers());
        var pending = new CompletableFuture<Integer>();
        backend.link().run(() -> pending.complete(backend.known().pending()));
        if (pending.get(10, TimeUnit.SECONDS) > 0) {
            left.add(backend.owner() + " has " + pending.get() + " pending claims");
        }
        return left;
    }

    @Test
    void nothingGoesWrong() throws Exception {
        LOG.infof("Seed %d, %d s: -Dlock.test.random.seed=%d -Dlock.test.random.seconds=%d", SEED, SECONDS, SEED, SECONDS);
        RedisServer server = opened(RedisServer.start());
        var links = new ArrayList<ProxiedLink>();
        var users = new ArrayList<RandomUser>();
        var backends = new ArrayList<RedisLockBackend>();
        for (int i = 0; i < JVMS; i++) {
            ProxiedLink link = opened(new ProxiedLink("jvm-" + i, server));
            links.add(link);
            backends.add(backend(link.url(), link.toString()));
            users.add(opened(new RandomUser(link.toString(), backends.get(i), NAMES, SEED + i, THREADS, history::add)));
        }
        ProxiedLink childLink = opened(new ProxiedLink("child", server));
        links.add(childLink);
        RandomChildren child = opened(new RandomChildren(childLink, SEED + JVMS, THREADS, directory, history));
        LockEngine operator = opened(LockEngine.builder(backend(server.url(), "operator")).start());
        var victims = new Nemesis.Victims(server, links, child, operator.manager(ManagerDefaults.STANDARD));
        var harmful = new Nemesis(true, SEED, victims, history::add, this::log);
        var harmless = new Nemesis(false, ~SEED, victims, history::add, this::log);
        List<Thread> threads = List.of(new Thread(harmful, "harmful"), new Thread(harmless, "harmless"));
        var failures = new CopyOnWriteArrayList<Throwable>();
        threads.forEach(each -> each.setUncaughtExceptionHandler((thread, e) -> failures.add(e)));
        threads.forEach(Thread::start);
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (System.nanoTime() < end) {
                Thread.sleep(1000); // a tick of a run that takes real time
                check(harmful, child);
                assertThat(failures).isEmpty();
                assertThat(users).allSatisfy(user -> assertThat(user.surprises()).isEmpty());
            }
        } finally {
            harmful.stop();
            harmless.stop();
            for (Thread each : threads) {
                each.join();
            }
        }

        for (RandomUser user : users) {
            user.stop();
            assertThat(user.surprises()).isEmpty();
        }
        ChildJvm last = child.current();
        last.ask("stop", Duration.ofSeconds(60));
        assertThat(last.ask("surprises")).isEmpty();
        check(harmful, child);
        nothingIsLeft(server, users, backends, last);
        LOG.infof("%d s with seed %d: %d deeds, granted %s and %s in the last child", SECONDS, SEED, deeds.size(),
                users.stream().map(RandomUser::granted).toList(), last.ask("granted"));
        assertThat(users).allSatisfy(user -> assertThat(user.granted()).isGreaterThan(SECONDS / 2));
    }

    /** What has happened up to a moment ago: what is younger may not have been told yet. */
    private void check(Nemesis harmful, RandomChildren child) {
        child.readHistory();
        long now = System.nanoTime() - 500_000_000;
        List<HistoryEvent> events = history.events();
        long since = harmful.harmingSince();
        if (since != 0) {
            events.add(HistoryEvent.fault(since, System.nanoTime()));
        }
        List<Violation> violations = HistoryChecker.STANDARD.check(events, now);
        if (!violations.isEmpty()) {
            throw new AssertionError("Seed " + SEED + ", after " + seconds() + " s, of " + events.size() + " events: "
                    + violations.subList(0, Math.min(3, violations.size())) + "\nDeeds:\n"
                    + String.join("\n", deeds.subList(Math.max(0, deeds.size() - 12), deeds.size())));
        }
    }

    private void nothingIsLeft(RedisServer server, List<RandomUser> users, List<RedisLockBackend> backends, ChildJvm child) {
        try (TinyRedis redis = server.connect()) {
            var left = new ArrayList<String>();
            Await.until(() -> "nothing is left: " + left, SOON, () -> {
                left.clear();
                for (int i = 0; i < JVMS; i++) {
                    left.addAll(leftovers(users.get(i), backends.get(i)));
                }
                left.addAll(List.of(child.ask("leftovers").split(";")));
                left.addAll(StoredClaims.of(redis));
                left.removeIf(String::isBlank);
                return left.isEmpty();
            });
        }
    }

    private void log(String deed) {
        synchronized (deeds) {
            deeds.add(System.nanoTime() + " " + seconds() + " s: " + deed);
        }
        LOG.debug(deed);
    }

    private long seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started);
    }

    private <T extends AutoCloseable> T opened(T closeable) {
        opened.add(closeable);
        return closeable;
    }
}
