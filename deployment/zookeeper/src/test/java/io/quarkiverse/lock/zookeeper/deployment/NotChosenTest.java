package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** An application that keeps its locks elsewhere gets no client and no server. */
class NotChosenTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "true"))
            .setAfterAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "false"))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.zookeeper.devservices.mode", "in-process")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock.zookeeper"))
            .assertLogRecords(records -> assertThat(records).isEmpty())
            .withEmptyApplication();

    @Inject
    LockManager locks;

    @Inject
    @Any
    Instance<CuratorFramework> clients;

    @Test
    void unusedBackendStartsNothing() {
        locks.lock("stock-7").acquire().close();
        assertThat(clients.isUnsatisfied()).isTrue();
    }
}
