package io.quarkiverse.lock.redis.operation;

import java.util.List;

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

/**
 * Makes the calls that turn a writer into a reader. The engine repeats one that fails. No replica has to acknowledge a
 * downgrade: a replica that has the grant of an admitted reader also has the downgrade, which came before it.
 */
public final class GrantDowngrades {

    private final ScriptArguments arguments;
    private final ErrorMessages errors;
    private final LockTime time;
    private final ClaimRegistry registry;

    public GrantDowngrades(ScriptArguments arguments, ErrorMessages errors, LockTime time, ClaimRegistry registry) {
        this.arguments = arguments;
        this.errors = errors;
        this.time = time;
        this.registry = registry;
    }

    public Call downgrade(RedisGrant grant, Outcome<Boolean> outcome) {
        return new Downgrade(grant, outcome);
    }

    private final class Downgrade extends ScriptCall {

        private final RedisGrant grant;
        private final Outcome<Boolean> outcome;

        Downgrade(RedisGrant grant, Outcome<Boolean> outcome) {
            super(Script.DOWNGRADE, arguments.marker());
            this.grant = grant;
            this.outcome = outcome;
        }

        @Override
        public List<String> keys() {
            return List.of(arguments.key(grant.name()));
        }

        @Override
        public List<String> args() {
            return List.of(arguments.retention(), arguments.cluster(), grant.token());
        }

        @Override
        public List<String> known() {
            return arguments.known(grant.known(time.nanoTime()), grant.leaseNanos());
        }

        @Override
        public void answered(Response reply) {
            switch (reply.get(0).toString()) {
                case "FORMAT" -> outcome.fail(errors.format(grant.name(), reply.get(1).toString()));
                case "SHARED" -> {
                    registry.waiters(grant, reply.get(1).toInteger() > 0, reply.get(2).toLong());
                    outcome.complete(true);
                }
                default -> {
                    registry.gone(grant);
                    outcome.complete(false);
                }
            }
        }

        @Override
        public void failed(RedisFailure failure) {
            outcome.fail(errors.failure(grant.name(), failure));
        }
    }
}
