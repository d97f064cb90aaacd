package io.quarkiverse.lock.redis.operation;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.redis.claim.ClaimRegistry;
import io.quarkiverse.lock.redis.claim.RedisGrant;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** Makes the calls that give a grant back, at once or some time from now. The engine repeats one that fails. */
public final class GrantReleases {

    private final ScriptArguments arguments;
    private final ErrorMessages errors;
    private final LockTime time;
    private final ClaimRegistry registry;

    public GrantReleases(ScriptArguments arguments, ErrorMessages errors, LockTime time, ClaimRegistry registry) {
        this.arguments = arguments;
        this.errors = errors;
        this.time = time;
        this.registry = registry;
    }

    public Call release(RedisGrant grant, Outcome<Void> outcome) {
        return new Release(Script.RELEASE, grant, outcome, null);
    }

    public Call releaseAfter(RedisGrant grant, long nanos, Outcome<Void> outcome) {
        long end = time.nanoTime() + nanos;
        return new Release(Script.KEEP, grant, outcome, () -> ScriptArguments.millis(Math.max(0, end - time.nanoTime())));
    }

    private final class Release extends ScriptCall {

        private final RedisGrant grant;
        private final Outcome<Void> outcome;
        /** For how many milliseconds the name stays taken from then on: the call may wait for a connection. */
        private final @Nullable Supplier<String> keep;
        private boolean tried;
        private boolean kept;

        Release(Script script, RedisGrant grant, Outcome<Void> outcome, @Nullable Supplier<String> keep) {
            super(script, arguments.marker());
            this.grant = grant;
            this.outcome = outcome;
            this.keep = keep;
        }

        @Override
        public void writing() {
            tried = grant.releaseTried;
            grant.releaseTried = true;
            kept = grant.keptAt(time.nanoTime());
        }

        /** A refusal by the wrong server, or by one that lacks the script, as after a fail-over, must not hide a loss. */
        @Override
        public void notRun() {
            grant.releaseTried = tried;
        }

        @Override
        public boolean mayGoTogether() {
            return arguments.mayShareWrite();
        }

        @Override
        public List<String> keys() {
            return List.of(arguments.key(grant.name()));
        }

        @Override
        public List<String> args() {
            String tombstone = grant.attempts().tombstone(grant.leaseNanos());
            return keep == null ? List.of(arguments.retention(), arguments.cluster(), grant.token(), tombstone)
                    : List.of(arguments.retention(), arguments.cluster(), grant.token(), keep.get(), tombstone);
        }

        @Override
        public List<String> known() {
            return arguments.known(grant.known(time.nanoTime()), grant.leaseNanos());
        }

        @Override
        public void answered(Response reply) {
            registry.forget(grant.claim());
            // An earlier attempt may have released it and lost its reply; without such an attempt, the grant had ended before.
            switch (reply.get(0).toString()) {
                case "FORMAT" -> {
                    outcome.fail(errors.format(grant.name(), reply.get(1).toString()));
                    return;
                }
                case "ABSENT" -> {
                    if (!tried && kept) {
                        outcome.fail(
                                new LockLostException(grant.name(), "it had ended in Redis before its release", null));
                        return;
                    }
                }
                default -> {
                }
            }
            outcome.complete(null);
        }

        @Override
        public void failed(RedisFailure failure) {
            outcome.fail(errors.failure(grant.name(), failure));
        }
    }
}
