package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** No persistence unit has the name that is configured for locks. */
class UnknownPersistenceUnitTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.jpa.persistence-unit", "nowhere")
            .withApplicationRoot(jar -> jar.addClasses(Counter.class))
            .assertException(failure -> assertThat(failure).hasStackTraceContaining(
                    "quarkus.lock.jpa.persistence-unit=nowhere: no persistence unit of Hibernate ORM has this name; "
                            + "choose one of <default>, or another lock backend"));

    @Test
    void applicationDoesNotBuild() {
        fail("It was built");
    }
}
