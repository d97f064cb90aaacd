package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.spi.DeploymentException;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** The default manager has no name in the configuration: otherwise its settings would be in two places. */
class NamedDefaultTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.managers.\"<default>\".lease", "20s")
            .assertException(failure -> assertThat(failure).isInstanceOf(DeploymentException.class).hasMessageContainingAll(
                    "quarkus.lock.managers.\"<default>\".*", "the default manager is configured by quarkus.lock.*"));

    @Test
    void fault388_namedDefaultManagerIsRejectedByBuild() {
        Assertions.fail();
    }
}
