package io.quarkiverse.lock.redis.claim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.claim.RedisGrant.Attempts;

/** Whether the end of a claim must reject its requests that may still arrive. */
class AttemptsTest {

    @Test
    void endFollowsRequestOnSingleConnection() {
        var attempts = new Attempts(true);
        attempts.sent();
        assertThat(attempts.any()).isTrue();
        assertThat(attempts.mayComeLate()).isFalse();
    }

    @Test
    void endMayOvertakeUnansweredRequestOnSeveralConnections() {
        var attempts = new Attempts(false);
        attempts.sent();
        assertThat(attempts.mayComeLate()).isTrue();
        attempts.replied();
        assertThat(attempts.mayComeLate()).isFalse();
    }

    @Test
    void failedRequestWithoutReplyMayArriveLate() {
        var attempts = new Attempts(true);
        attempts.sent();
        attempts.failedWithoutReply();
        attempts.sent();
        attempts.replied();
        assertThat(attempts.mayComeLate()).isTrue();
    }
}
