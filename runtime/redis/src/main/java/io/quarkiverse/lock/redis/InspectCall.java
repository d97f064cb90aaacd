package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** Asks who holds a name. */
final class InspectCall extends AdminCall<Optional<LockInfo>> {

    /** The JVM's tokens of one grant: its fence times this, and up to as many more. */
    private static final long TOKENS_PER_FENCE = 1024;

    InspectCall(RedisLockBackend backend, String name, Outcome<Optional<LockInfo>> outcome) {
        super(Script.INSPECT, backend, name, outcome);
    }

    @Override
    Optional<LockInfo> read(Response reply) {
        int waiters = reply.get(1).toInteger();
        var holders = new ArrayList<LockInfo.Holder>();
        for (int i = 2; i < reply.size(); i += 6) {
            LockMode mode = reply.get(i + 1).toString().equals("S") ? LockMode.SHARED : LockMode.EXCLUSIVE;
            holders.add(new LockInfo.Holder(reply.get(i + 5).toString(), AcquireReply.fence(reply.get(i)) * TOKENS_PER_FENCE,
                    mode, reply.get(i + 2).toInteger(), Duration.ofMillis(reply.get(i + 3).toLong()),
                    Duration.ofMillis(reply.get(i + 4).toLong())));
        }
        return waiters == 0 && holders.isEmpty() ? Optional.empty() : Optional.of(new LockInfo(name, holders, waiters));
    }
}
