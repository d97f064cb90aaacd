package io.quarkiverse.lock.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import org.junit.jupiter.api.Test;

/** A test that is skipped covers no fault, see {@link LocalFaultsTest}. */
class FaultNumbersTest {

    private static final String RESTART = "fault66_restartKeepsManyLocksWithoutRenewalStorm";

    @Test
    void enabledTestCoversItsFaultNumber() {
        assertThat(numbers().tests().get(66)).containsExactly("StoreTest." + RESTART);
    }

    @Test
    void skippedTestCoversNoFault() {
        assertThat(numbers("StoreFaults." + RESTART).tests())
                .doesNotContainKey(66).containsKey(4);
    }

    @Test
    void skippedGroupCoversNoFault() {
        assertThat(numbers("StoreFaults.*").tests()).doesNotContainKey(66).containsKey(4);
    }

    private static FaultNumbers numbers(String... skipped) {
        return new FaultNumbers(FaultNumbersTest.class.getPackageName(), Set.of(skipped));
    }
}
