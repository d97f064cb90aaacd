package io.quarkiverse.lock.deployment.selection;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkus.test.QuarkusUnitTest;

/** Without a configured namespace an application shares its locks with no other, and logs that once. */
class NamespaceOfApplicationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(RecordingProvider.class, FakeBackends.class))
            .addBuildChainCustomizer(FakeBackends.offer(RecordingProvider.class, "recording"))
            .overrideConfigKey("quarkus.lock.backend", "recording")
            .overrideConfigKey("quarkus.application.name", "web-shop")
            .setLogRecordPredicate(record -> record.getMessage().contains("quarkus.lock.namespace"))
            .assertLogRecords(records -> {
                assertThat(records).hasSize(1);
                assertThat(records.get(0).getLevel().getName()).isEqualTo("INFO");
                assertThat(String.format(records.get(0).getMessage(), records.get(0).getParameters()))
                        .contains("'web-shop'", "quarkus.lock.namespace", "set the property to the same value");
            });

    @Inject
    RecordingProvider provider;

    @Test
    void fault128_namespaceDefaultsToApplicationName() {
        assertThat(provider.namespace).isEqualTo("web-shop");
    }
}
