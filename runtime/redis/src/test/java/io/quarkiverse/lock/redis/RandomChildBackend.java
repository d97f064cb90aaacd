package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;

/** The backend of the randomized run's JVM that can be paused and killed: at a URL, with an operation timeout. */
public final class RandomChildBackend implements ChildBackend {

    @Override
    public LockBackend backend(String owner, List<String> arguments) {
        return RandomRunTest.backend(arguments.get(0), owner, Duration.parse(arguments.get(1)));
    }

    @Override
    public List<String> leftovers(LockBackend backend) throws Exception {
        return pending((RedisLockBackend) backend);
    }

    static List<String> pending(RedisLockBackend backend) throws Exception {
        var pending = new CompletableFuture<Integer>();
        backend.connections().run(() -> pending.complete(backend.registry().pending()));
        int count = pending.get(10, TimeUnit.SECONDS);
        return count == 0 ? List.of() : List.of(backend.arguments().owner() + " has " + count + " pending claims");
    }
}
