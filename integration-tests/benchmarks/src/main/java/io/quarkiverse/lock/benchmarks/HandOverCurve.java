package io.quarkiverse.lock.benchmarks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Many JVMs want one name, and each holds it for a millisecond: the server's work for each hand-over. */
final class HandOverCurve implements Curve {

    private static final String REDISSON = Library.REDISSON.label();
    private static final String FAIR = "redisson fair";

    @Override
    public String name() {
        return "hand-over";
    }

    @Override
    public String title() {
        return "One name that many JVMs wait for, on Redis";
    }

    @Override
    public String across() {
        return "JVMs that wait";
    }

    @Override
    public String up() {
        return "µs of the server per hand-over";
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, REDISSON, FAIR);
    }

    @Override
    public List<Integer> sizes() {
        return List.of(1, 10, 100, 1_000);
    }

    @Override
    public double measure(String side, int size, long nanos) {
        try (var server = new RedisProcess(); var jvms = new Jvms(side, server.url(), size + 1)) {
            var crowd = new WaitingCrowd(jvms.locks);
            crowd.start();
            try (var time = new ServerTime(server.redis)) {
                awaitHandOver(crowd, 3);
                time.start();
                int before = crowd.handOvers();
                long end = System.nanoTime() + nanos;
                LockSupport.parkNanos(nanos);
                awaitHandOver(crowd, 1);
                while (System.nanoTime() < end) {
                    LockSupport.parkNanos(end - System.nanoTime());
                }
                return time.micros() / (crowd.handOvers() - before);
            } finally {
                crowd.end();
            }
        }
    }

    private static void awaitHandOver(WaitingCrowd crowd, int more) {
        int before = crowd.handOvers();
        while (crowd.handOvers() - before < more) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The given number of JVMs, of one library. */
    static final class Jvms implements AutoCloseable {

        final List<Mutex> locks = new ArrayList<>();
        /** Closed in reverse order of creation. */
        private final Deque<Runnable> closers = new ArrayDeque<>();

        Jvms(String side, String url, int count) {
            try {
                make(side, url, count);
            } catch (RuntimeException | Error e) { // there may not be enough memory for all of them
                close();
                throw e;
            }
        }

        private void make(String side, String url, int count) {
            if (side.equals(Bar.OURS)) {
                for (int i = 0; i < count; i++) {
                    var jvm = new OurLocks(url);
                    closers.push(jvm::close);
                    locks.add(jvm.mutex("hot"));
                }
            } else {
                Function<RedissonClient, RLock> lock = side.equals(FAIR) ? client -> client.getFairLock("hot")
                        : client -> client.getLock("hot");
                var shared = new RedissonJvms();
                closers.push(shared::close);
                for (int i = 0; i < count; i++) {
                    RedissonClient client = shared.client(url);
                    closers.push(client::shutdown);
                    locks.add(RedissonLocks.mutex(lock.apply(client)));
                }
            }
        }

        @Override
        public void close() {
            closers.forEach(Runnable::run);
        }
    }
}
