package io.quarkiverse.lock.redis;

import java.util.List;

import io.quarkiverse.lock.spi.Outcome;

/** Gives a grant back some time from now. */
final class DelayedReleaseCall extends ReleaseCall {

    private final long nanos;

    DelayedReleaseCall(RedisLockBackend backend, RedisGrant grant, long nanos, Outcome<Void> outcome) {
        super(Script.KEEP, backend, grant, outcome);
        this.nanos = nanos;
    }

    @Override
    List<String> args() {
        return List.of(backend.retention(), backend.cluster(), grant.token(), backend.millis(nanos), refusedFor());
    }
}
