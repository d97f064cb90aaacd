package io.quarkiverse.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** A reply that cannot be handled. */
class CallTest {

    /** Fails on each reply, because a class is missing. */
    private static final class Lacking extends Call {

        @Override
        public Request request() {
            throw new AssertionError("not sent");
        }

        @Override
        public void answered(Response reply) {
            throw new NoClassDefFoundError("on purpose");
        }

        @Override
        public void failed(RedisFailure failure) {
            throw new NoClassDefFoundError("on purpose");
        }
    }

    @Test
    @Fault(195)
    void fault195_errorInCallbackDoesNotPropagate() {
        assertThatCode(() -> new Lacking().answer(null)).doesNotThrowAnyException();
        assertThatCode(() -> new Lacking().fail(null)).doesNotThrowAnyException();
    }
}
