package io.quarkiverse.lock.benchmarks;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Many JVMs wait for one name, and nothing happens: the server's work for them. */
final class WaitingCurve implements Curve {

    @Override
    public String name() {
        return "waiting";
    }

    @Override
    public String title() {
        return "Waiting while nothing happens, on Redis";
    }

    @Override
    public String across() {
        return "JVMs that wait";
    }

    @Override
    public String up() {
        return "µs of the server per second";
    }

    @Override
    public List<String> sides() {
        return List.of(Bar.OURS, Library.REDISSON.label());
    }

    @Override
    public List<Integer> sizes() {
        return List.of(1, 10, 100, 1_000);
    }

    @Override
    public double measure(String side, int size, long nanos) {
        try (var server = new RedisProcess(); var jvms = new HandOverCurve.Jvms(side, server.url(), size + 1)) {
            Mutex holder = jvms.locks.get(0);
            holder.lock();
            var crowd = new WaitingCrowd(jvms.locks.subList(1, size + 1));
            crowd.start();
            try (var time = new ServerTime(server.redis)) {
                LockSupport.parkNanos(2_000_000_000L + size * 2_000_000L); // until all of them wait and have asked again
                time.start();
                LockSupport.parkNanos(Math.max(nanos, 2_000_000_000L)); // each asks about once a second
                return time.microsPerSecond();
            } finally {
                holder.unlock();
                crowd.end();
            }
        }
    }
}
