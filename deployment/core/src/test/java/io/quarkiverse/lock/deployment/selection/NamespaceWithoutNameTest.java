package io.quarkiverse.lock.deployment.selection;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkus.test.QuarkusUnitTest;

/** The application has no name either. */
class NamespaceWithoutNameTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(RecordingProvider.class, FakeBackends.class))
            .addBuildChainCustomizer(FakeBackends.offer(RecordingProvider.class, "recording"))
            .overrideConfigKey("quarkus.lock.backend", "recording")
            .overrideConfigKey("quarkus.application.name", "")
            .setLogRecordPredicate(record -> record.getMessage().contains("quarkus.lock.namespace"))
            .assertLogRecords(records -> {
                assertThat(records).hasSize(1);
                assertThat(String.format(records.get(0).getMessage(), records.get(0).getParameters()))
                        .contains("'quarkus-lock'", "the application has no name");
            });

    @Inject
    RecordingProvider provider;

    @Test
    void fault128_unnamedApplicationGetsStandardNamespace() {
        assertThat(provider.namespace).isEqualTo("quarkus-lock");
    }
}
