package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.testkit.Fault;

/** What is reported about a holder in another JVM, whose node tells only when it was created. */
class HoldersElsewhereTest extends ZooKeeperTest {

    @Test
    @Fault(376)
    void fault376_remainingLeaseOfARemoteHolderIsUnknown() {
        Jvm here = jvm();
        here.grant("order-42");
        Jvm elsewhere = jvm();
        assertThat(List.of(inspected(elsewhere), listed(elsewhere))).extracting(LockInfo.Holder::remaining)
                .containsOnly(Duration.ZERO);
        assertThat(List.of(inspected(here), listed(here))).extracting(LockInfo.Holder::remaining)
                .allMatch(remaining -> remaining.compareTo(Duration.ZERO) > 0);
    }

    private static LockInfo.Holder inspected(Jvm by) {
        return holder(Jvm.get(by.backend.inspect("order-42")).orElseThrow());
    }

    private static LockInfo.Holder listed(Jvm by) {
        return holder(Jvm.get(by.backend.list(LockQuery.ALL)).locks().get(0));
    }

    private static LockInfo.Holder holder(LockInfo lock) {
        assertThat(lock.holders()).hasSize(1);
        return lock.holders().get(0);
    }
}
