package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.history.Stalls;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/**
 * Four JVMs use five servers, two of which are killed, emptied, stopped or cut off at a time. Nobody enters while another
 * holder is sure of the lock, tokens rise, and every caller gets the lock within ten seconds.
 * {@code -Dlock.test.random.seconds=} sets the duration, {@code -Dlock.test.random.seed=} repeats the faults of a run.
 */
class QuorumRandomTest {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final List<String> NAMES = List.of("one", "two", "three");
    /** The minimum number of holds, and how much longer a slow machine may take to reach it. */
    private static final int FEWEST = 100;
    private static final Duration MOST_MORE = Duration.ofMinutes(2);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private enum Deed {
        KILL,
        EMPTY,
        PAUSE,
        CUT,
        RESET,
        DELAY
    }

    /** What a lock protects. It knows the current holder and the highest token so far. */
    private static final class Room {

        private LockHandle last;
        private long highest;

        synchronized String enter(LockHandle handle) {
            String wrong = null;
            if (last != null && last.isValid()) {
                wrong = "two holders: " + last.fencingToken() + " and " + handle.fencingToken();
            } else if (handle.isValid() && handle.fencingToken() <= highest) {
                wrong = "the token falls from " + highest + " to " + handle.fencingToken();
            }
            if (handle.isValid()) {
                last = handle;
                highest = Math.max(highest, handle.fencingToken());
            }
            return wrong;
        }

        synchronized void leave(LockHandle handle) {
            if (last == handle) {
                last = null;
            }
        }
    }

    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger entered = new AtomicInteger();
    private final Stalls stalls = new Stalls(stall -> {
    });
    private volatile boolean over;

    @Test
    void twoOfFiveServersFailInTurn(TestReporter reporter) throws Exception {
        long seed = Long.getLong("lock.test.random.seed", System.nanoTime());
        Duration time = Duration.ofSeconds(Long.getLong("lock.test.random.seconds",
                Boolean.getBoolean("lock.test.full") ? 20 : 6));
        var random = new Random(seed);
        List<String> deeds = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        var jvms = new ArrayList<QuorumJvm>();
        try (stalls; var cluster = new QuorumCluster(5).satOut(LEASE)) {
            for (int i = 0; i < 4; i++) {
                jvms.add(new QuorumJvm(cluster, LEASE, LEASE, "jvm-" + i));
            }
            List<Room> rooms = NAMES.stream().map(name -> new Room()).toList();
            List<Future<?>> users = new ArrayList<>();
            for (QuorumJvm jvm : jvms) {
                for (int i = 0; i < 3; i++) {
                    long mine = random.nextLong();
                    users.add(threads.submit(() -> use(jvm, rooms, new Random(mine))));
                }
            }
            long end = System.nanoTime() + time.toNanos();
            long giveUp = end + MOST_MORE.toNanos();
            while (wrong.isEmpty() && System.nanoTime() - (entered.get() > FEWEST ? end : giveUp) < 0) {
                deeds.add(disturb(cluster, jvms, random));
            }
            over = true;
            for (Future<?> each : users) {
                each.get(30, TimeUnit.SECONDS);
            }
            assertThat(wrong).as("with -Dlock.test.random.seed=%d, deeds %s", seed, deeds).isEmpty();
            assertThat(entered.get()).as("holds").isGreaterThan(FEWEST);
            reporter.publishEntry("quorum", entered + " holds, " + deeds.size() + " deeds, seed " + seed);
        } finally {
            over = true;
            jvms.forEach(QuorumJvm::close);
            threads.shutdownNow();
        }
    }

    private void use(QuorumJvm jvm, List<Room> rooms, Random random) {
        while (!over && wrong.isEmpty()) {
            int which = random.nextInt(rooms.size());
            long from = System.nanoTime();
            try {
                Optional<LockHandle> got = jvm.lock(NAMES.get(which)).tryAcquire(WAIT);
                if (got.isEmpty()) {
                    wrongUnlessStalled(from, "no lock within " + WAIT);
                    continue;
                }
                try (LockHandle handle = got.get()) {
                    String problem = rooms.get(which).enter(handle);
                    if (problem != null) {
                        wrong.add(problem);
                    }
                    entered.incrementAndGet();
                    LockSupport.parkNanos(random.nextInt(20) * MILLI);
                    rooms.get(which).leave(handle);
                }
            } catch (LockLostException e) {
                // while two servers fail, a hold may end early; that is no second holder
            } catch (LockException e) {
                wrongUnlessStalled(from, e.toString());
            }
        }
    }

    /** If the machine stalled meanwhile, the wait was cut short, and the user asks again. */
    private void wrongUnlessStalled(long from, String what) {
        if (stalls.since(from).isZero()) {
            wrong.add(what);
        }
    }

    /** Two servers fail, each in its own way. The round ends when all servers have sat out. */
    private static String disturb(QuorumCluster cluster, List<QuorumJvm> jvms, Random random) {
        List<Integer> order = new ArrayList<>(IntStream.range(0, 5).boxed().toList());
        Collections.shuffle(order, random);
        Deed first = Deed.values()[random.nextInt(Deed.values().length)];
        Deed second = Deed.values()[random.nextInt(Deed.values().length)];
        begin(cluster, jvms, order.get(0), first);
        pass(random.nextInt(1_000));
        begin(cluster, jvms, order.get(1), second);
        pass(200 + random.nextInt(3_000));
        end(cluster, jvms, order.get(0), first);
        end(cluster, jvms, order.get(1), second);
        cluster.servers().forEach(QuorumRandomTest::awaitSatOut);
        return first + " " + order.get(0) + ", " + second + " " + order.get(1);
    }

    private static void pass(int millis) {
        LockSupport.parkNanos(millis * MILLI);
    }

    private static void begin(QuorumCluster cluster, List<QuorumJvm> jvms, int server, Deed deed) {
        switch (deed) {
            case KILL -> cluster.server(server).kill();
            case EMPTY -> cluster.server(server).restart();
            case PAUSE -> cluster.server(server).pause();
            case CUT -> jvms.forEach(each -> each.links.get(server).blackhole());
            case RESET -> jvms.forEach(each -> each.links.get(server).cut());
            case DELAY -> jvms.forEach(each -> each.links.get(server).delayRequests(Duration.ofMillis(150)));
        }
    }

    private static void end(QuorumCluster cluster, List<QuorumJvm> jvms, int server, Deed deed) {
        switch (deed) {
            case KILL -> cluster.server(server).restart();
            case PAUSE -> cluster.server(server).resume();
            default -> jvms.forEach(each -> each.links.get(server).pass());
        }
    }

    private static void awaitSatOut(RedisServer server) {
        Await.until("the server has sat out", Duration.ofSeconds(20), () -> {
            try (TinyRedis redis = server.connect()) {
                String marker = redis.text("GET", QuorumCluster.MARKER);
                return marker != null && marker.startsWith(redis.info("run_id"))
                        && Long.parseLong(marker.split(" ")[1]) < Long.parseLong(redis.list("TIME").get(0)) * 1000;
            }
        });
    }
}
