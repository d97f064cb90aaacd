package io.quarkiverse.lock.deployment.selection;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkus.test.QuarkusUnitTest;

/** The namespace is known when the application starts, not when it is built. */
class NamespaceAtStartTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(RecordingProvider.class, FakeBackends.class))
            .addBuildChainCustomizer(FakeBackends.offer(RecordingProvider.class, "recording"))
            .overrideConfigKey("quarkus.lock.backend", "recording")
            .overrideConfigKey("quarkus.application.name", "web-shop")
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shops")
            .setLogRecordPredicate(record -> record.getMessage().contains("quarkus.lock.namespace"))
            .assertLogRecords(records -> assertThat(records).isEmpty());

    @Inject
    RecordingProvider provider;

    @Test
    void fault128_namespaceIsReadAtStartup() {
        assertThat(provider.namespace).isEqualTo("shops");
    }
}
