package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the answers to one attempt mean. */
class VoteTest {

    /** The others could decide without it, so it is not the reason. */
    @Test
    void absentMinorityIsNotBlamed() {
        var vote = new Vote(3, 2);
        vote.failed(null, "is away");
        assertThat(vote.absent()).isEmpty();
    }

    @Test
    void absentMajorityIsBlamed() {
        var vote = new Vote(1, 1);
        vote.failed(null, "is away");
        assertThat(vote.absent()).hasSize(1);
    }
}
