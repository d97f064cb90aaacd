package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** No dev service is started for an application that configures its ZooKeeper. */
class NoDevServiceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "true"))
            .setAfterAllCustomizer(() -> System.setProperty("quarkus.devservices.enabled", "false"))
            .overrideConfigKey("quarkus.lock.zookeeper.devservices.mode", "in-process")
            .overrideConfigKey("quarkus.lock.zookeeper.connect-string", "127.0.0.1:1")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock.zookeeper"))
            .assertLogRecords(records -> assertThat(records)
                    .noneMatch(record -> record.getMessage().contains("for development")))
            .withEmptyApplication();

    @ConfigProperty(name = "quarkus.lock.zookeeper.connect-string")
    String connectString;

    @Test
    void noDevServiceIsStarted() {
        assertThat(connectString).isEqualTo("127.0.0.1:1");
    }
}
