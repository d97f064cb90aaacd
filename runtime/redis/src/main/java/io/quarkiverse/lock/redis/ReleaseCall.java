package io.quarkiverse.lock.redis;

import java.util.List;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** Gives a grant back, at once or some time from now. The engine repeats it when it fails. */
class ReleaseCall extends ScriptCall {

    final RedisLockBackend backend;
    final RedisGrant grant;
    private final Outcome<Void> outcome;
    private boolean tried;
    private boolean kept;

    ReleaseCall(RedisLockBackend backend, RedisGrant grant, Outcome<Void> outcome) {
        this(Script.RELEASE, backend, grant, outcome);
    }

    ReleaseCall(Script script, RedisLockBackend backend, RedisGrant grant, Outcome<Void> outcome) {
        super(script);
        this.backend = backend;
        this.grant = grant;
        this.outcome = outcome;
    }

    @Override
    void writing() {
        tried = grant.releaseTried;
        grant.releaseTried = true;
        kept = grant.keptAt(backend.time().nanoTime());
    }

    /** A server that does not know the script, as after a fail-over, is not to hide a loss. */
    @Override
    void notRun() {
        grant.releaseTried = tried;
    }

    @Override
    boolean mayGoTogether() {
        return backend.mayGoTogether();
    }

    @Override
    List<String> keys() {
        return List.of(backend.keys().of(grant.name()));
    }

    @Override
    List<String> args() {
        return List.of(backend.retention(), backend.cluster(), grant.token(), refusedFor());
    }

    /** For how long later requests of the claim are refused. */
    final String refusedFor() {
        return grant.attempts().mayComeLate() ? String.valueOf(Withdrawal.tombstoneMillis(grant.leaseNanos())) : "0";
    }

    @Override
    void answered(Response reply) {
        backend.known().forget(grant.claim());
        // An earlier attempt may have done it and lost its reply; without one, the grant had ended before.
        switch (reply.get(0).toString()) {
            case "FORMAT" -> {
                outcome.fail(backend.explain().format(grant.name(), reply.get(1).toString()));
                return;
            }
            case "ABSENT" -> {
                if (!tried && kept) {
                    outcome.fail(new LockLostException(grant.name(), "it had ended at Redis before its release", null));
                    return;
                }
            }
            default -> {
            }
        }
        outcome.complete(null);
    }

    @Override
    void failed(RedisFailure failure) {
        outcome.fail(backend.explain().failure(grant.name(), failure));
    }
}
