package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** A name for the default manager is rejected even if the build does not see it, as in a variable. */
class NamedDefaultAtStartTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.managers.\"<default>\".lease", "20s")
            .assertException(failure -> assertThat(failure)
                    .hasStackTraceContaining("quarkus.lock.managers.\"<default>\".*")
                    .hasStackTraceContaining("the default manager is configured by quarkus.lock.*"));

    @Test
    void fault388_namedDefaultManagerIsRejectedAtStartup() {
        Assertions.fail();
    }
}
