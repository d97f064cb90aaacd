package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.quorum.QuorumCluster.Address;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/** Clients with different addresses that lead to one server, e.g. through several names of its host. */
class OneServerTwiceTest {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(10);

    @Test
    @Fault(526)
    void fault526_clientsOfSameServerAreReported() {
        try (var cluster = new QuorumCluster(2).satOut(LONGEST);
                FaultProxy alias = FaultProxy.to(cluster.server(0).host(), cluster.server(0).port());
                var log = LogLines.warnings(getClass().getPackageName())) {
            var addresses = new ArrayList<>(cluster.addresses());
            addresses.add(new Address(alias.host(), alias.port()));
            try (LockEngine engine = engine(addresses)) {
                Await.until("it is said", SOON, () -> !reports(log).isEmpty());
                take(engine);
            }
            assertThat(reports(log)).singleElement().asString().contains("quarkus.redis.s0.hosts")
                    .contains("quarkus.redis.s2.hosts").doesNotContain("s1").contains("quarkus.lock.redis.quorum");
        }
    }

    private static List<String> reports(LogLines log) {
        return log.messages().stream().filter(line -> line.contains("the same Redis server")).toList();
    }

    private static LockEngine engine(List<Address> addresses) {
        return LockEngine.builder(QuorumCluster.backend(addresses, QuorumCluster.options(LONGEST), "test", "somebody")).start();
    }

    private static void take(LockEngine engine) {
        try (LockHandle held = engine.manager(ManagerDefaults.STANDARD)
                .lock("name", LockOptions.DEFAULTS.withWaitFor(SOON)).acquire()) {
            assertThat(held.isValid()).isTrue();
        }
    }
}
