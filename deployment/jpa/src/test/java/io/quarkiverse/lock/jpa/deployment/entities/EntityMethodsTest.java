package io.quarkiverse.lock.jpa.deployment.entities;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.test.QuarkusUnitTest;

/** Entities are not beans, so nothing intercepts their methods. */
class EntityMethodsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Account.class))
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:methods")
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> assertThat(failure).hasMessageContaining("[class=" + Account.class.getName()
                    + ", method=book] @Locked has no effect: an entity is not a bean; put it on the method of a bean"));

    @Test
    @Fault(131)
    void fault131_lockedEntityMethodFailsTheBuild() {
        Assertions.fail();
    }

    @Entity
    public static class Account {

        @Id
        public Long id;

        @Locked("account-{amount}")
        void book(int amount) {
        }

        @Locked("accounts")
        static void fine() {
        }
    }
}
