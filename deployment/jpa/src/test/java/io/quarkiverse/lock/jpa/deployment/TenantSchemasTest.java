package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.test.QuarkusUnitTest;

/** Tenants leave their schemas set on pooled connections, so locks must not depend on the current schema. */
class TenantSchemasTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = Tenants.application("unqualified")
            .assertException(e -> assertThat(e).hasStackTraceContaining("'shop'")
                    .hasStackTraceContaining("quarkus.hibernate-orm.\"locks\".database.default-schema"));

    @Test
    @Fault(504)
    void fault504_doesNotStart() {
        fail("It has started");
    }
}
