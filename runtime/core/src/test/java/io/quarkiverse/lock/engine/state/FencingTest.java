package io.quarkiverse.lock.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockQuery;

/** How tokens above a floor are shown. */
class FencingTest {

    private final Fencing fencing = new Fencing(1000);

    @Test
    void fault378_unknownTokenStaysUnknownAboveTheFloor() {
        LockInfo known = new LockInfo("a", List.of(holder(7), holder(0)), 0);
        assertThat(fencing.above(known).holders()).containsExactly(holder(1007), holder(0));
        assertThat(fencing.above(new LockQuery.Page(List.of(known), Optional.empty())).locks())
                .containsExactly(fencing.above(known));
    }

    private static LockInfo.Holder holder(long token) {
        return new LockInfo.Holder("somebody", token, LockMode.EXCLUSIVE, 0, Duration.ZERO, Duration.ZERO);
    }
}
