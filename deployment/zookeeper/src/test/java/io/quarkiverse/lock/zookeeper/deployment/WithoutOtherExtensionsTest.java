package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

/** Without a TLS registry the other applications of this module start; one that asks for it gets an error. */
class WithoutOtherExtensionsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "127.0.0.1:1")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.tls-configuration-name", "locks")
            .assertException(failure -> {
                Throwable cause = failure;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                assertThat(cause.getClass().getName()).isEqualTo(ConfigurationException.class.getName());
                assertThat(cause).hasMessageContaining("quarkus.lock.zookeeper.tls-configuration-name=locks")
                        .hasMessageContaining("quarkus-tls-registry");
            });

    @Test
    void doesNotStart() {
        fail("It has started");
    }
}
