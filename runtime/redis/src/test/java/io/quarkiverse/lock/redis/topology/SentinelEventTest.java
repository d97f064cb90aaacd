package io.quarkiverse.lock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.lock.testkit.Fault;

/** Which events of a sentinel are about a master. */
class SentinelEventTest {

    @ParameterizedTest
    @Fault(562)
    @CsvSource({
            "mymaster, mymaster, true", "mymaster, other, false", "mymaster, master, false",
            "master, master, true", "master, mymaster, false", "master, 10.0.0.1, false" })
    void fault562_switchConcernsItsFirstWord(String switched, String master, boolean concerns) {
        assertThat(SentinelSubscription.concerns("+switch-master", switched + " 10.0.0.1 6379 10.0.0.2 6379", master))
                .isEqualTo(concerns);
    }

    @ParameterizedTest
    @Fault(562)
    @CsvSource({
            "master mymaster 10.0.0.1 6379, mymaster, true", "master mymaster 10.0.0.1 6379, master, false",
            "master master 10.0.0.1 6379, master, true",
            "slave 10.0.0.2:6379 10.0.0.2 6379 @ mymaster 10.0.0.1 6379, mymaster, true",
            "slave 10.0.0.2:6379 10.0.0.2 6379 @ mymaster 10.0.0.1 6379, slave, false",
            "slave 10.0.0.2:6379 10.0.0.2 6379 @ master 10.0.0.1 6379, master, true", "slave, slave, false" })
    void fault562_otherEventsNameTheirMasterAfterItsType(String event, String master, boolean concerns) {
        assertThat(SentinelSubscription.concerns("+failover-state-select-slave", event, master)).isEqualTo(concerns);
    }
}
