package io.quarkiverse.lock.jpa.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class JpaLockOptionsTest {

    private static final Duration MILLENNIUM = Duration.ofDays(365_000);

    @Test
    void overlongDurationsAreRejected() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> JpaLockOptions.STANDARD.withOperationTimeout(MILLENNIUM))
                .withMessageContainingAll("quarkus.lock.jpa.operation-timeout", "between 100ms and 365 days");
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> purgedAfter(MILLENNIUM))
                .withMessageContainingAll("quarkus.lock.jpa.purge-after", "or 0 to keep all rows");
    }

    @Test
    void rowsMayBeKeptForACentury() {
        Duration century = Duration.ofDays(36_500);
        assertThat(purgedAfter(century).purgeAfter().toNanos()).isEqualTo(century.toNanos());
        assertThat(purgedAfter(Duration.ZERO).purgeAfter()).isZero();
    }

    private static JpaLockOptions purgedAfter(Duration idle) {
        return new JpaLockOptions(Duration.ofSeconds(5), 8, true, idle, "quarkus.datasource.", null);
    }
}
