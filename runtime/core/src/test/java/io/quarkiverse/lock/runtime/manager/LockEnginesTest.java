package io.quarkiverse.lock.runtime.manager;

import static org.assertj.core.api.Assertions.assertThatNoException;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class LockEnginesTest {

    @Test
    void fault477_drainTimeoutMayBeCenturies() {
        assertThatNoException().isThrownBy(() -> new LockEngines().drain(Duration.ofDays(365_000)));
    }
}
