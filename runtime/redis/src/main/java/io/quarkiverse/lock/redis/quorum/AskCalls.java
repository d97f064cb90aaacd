package io.quarkiverse.lock.redis.quorum;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.spi.Claim;
import io.vertx.redis.client.Response;

/** Makes the calls of the two phases. */
final class AskCalls {

    private final QuorumKeys keys;

    AskCalls(QuorumKeys keys) {
        this.keys = keys;
    }

    /** Reserves the name at one server. */
    ServerCall ask(QuorumServer server, Claim claim, int attempt, String priority, Consumer<Response> answered,
            Consumer<RedisFailure> failed) {
        return new ServerCall(server, Script.QUORUM_ASK) {

            @Override
            public List<String> keys() {
                return keys.ofAsk(claim);
            }

            @Override
            public List<String> args() {
                return List.of(keys.retention(), keys.toldLongestLease(), claim.token(), String.valueOf(attempt),
                        ScriptArguments.millis(claim.leaseNanos()), priority, keys.channel().name(), claim.waits() ? "1" : "0",
                        keys.owner());
            }

            @Override
            public boolean mayGoTogether() {
                return true;
            }

            @Override
            public void answered(Response reply) {
                keys.refusals().heard(server, reply);
                answered.accept(reply);
            }

            @Override
            public void failed(RedisFailure failure) {
                failed.accept(failure);
            }
        };
    }

    /**
     * Writes the fence at one server.
     *
     * @param said whether it was written, and whether others wait: see {@code quorum-write.lua}
     */
    ServerCall write(QuorumServer server, Claim claim, int attempt, long fence, IntConsumer said,
            Consumer<RedisFailure> failed) {
        return new ServerCall(server, Script.QUORUM_WRITE) {

            @Override
            public List<String> keys() {
                return keys.ofName(claim.name());
            }

            @Override
            public List<String> args() {
                return List.of(keys.retention(), claim.token(), String.valueOf(attempt), String.valueOf(fence));
            }

            @Override
            public boolean mayGoTogether() {
                return true;
            }

            @Override
            public void answered(Response reply) {
                said.accept(reply.toInteger());
            }

            @Override
            public void failed(RedisFailure failure) {
                failed.accept(failure);
            }
        };
    }
}
