package io.quarkiverse.lock.deployment.selection;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkus.test.QuarkusUnitTest;

/** One log line tells where locks are kept and which settings apply. */
class StartLineTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(RecordingProvider.class, FakeBackends.class))
            .addBuildChainCustomizer(FakeBackends.offer(RecordingProvider.class, "recording"))
            .overrideConfigKey("quarkus.lock.backend", "recording")
            .overrideConfigKey("quarkus.lock.namespace", "shop")
            .overrideConfigKey("quarkus.lock.managers.here.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.owner", "node-1")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "1500ms")
            .overrideRuntimeConfigKey("quarkus.lock.fencing-floor", "4711")
            .overrideRuntimeConfigKey("quarkus.lock.managers.here.lease", "1m")
            .overrideRuntimeConfigKey("quarkus.lock.managers.here.max-hold", "1h")
            .overrideRuntimeConfigKey("quarkus.lock.managers.here.on-lost", "interrupt")
            .setLogRecordPredicate(record -> record.getLoggerName().endsWith(".StartLine"))
            .assertLogRecords(records -> assertThat(records).singleElement()
                    .satisfies(record -> assertThat(record.getMessage())
                            .isEqualTo("Locks are kept by 'recording' (this JVM,\\nshelf 3; wait 1.5s, lease 30s, renewed, "
                                    + "on loss fail), "
                                    + "those of manager 'here' by 'local' (wait 1.5s, lease 1m, renewed for 1h, "
                                    + "on loss interrupt), in the namespace 'shop', with fencing tokens above 4711, "
                                    + "for owner 'node-1'; shutdown does not "
                                    + "wait for their holders (quarkus.shutdown.timeout is not set)")));

    @Inject
    LockManager locks;

    @Test
    void applicationStartsWithExpectedLog() {
        locks.lock("a").acquire().close();
    }
}
