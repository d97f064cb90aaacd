package io.quarkiverse.lock.jpa.deployment.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.test.QuarkusUnitTest;

/** The default manager's linger is too long for the lease of a manager whose locks end with their transactions. */
class InheritedLingerTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.managers.stock.backend", "jpa")
            .overrideConfigKey("quarkus.lock.jpa.strategy", "pessimistic")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:inherited;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "drop-and-create")
            .overrideRuntimeConfigKey("quarkus.lock.linger", "5s")
            .overrideRuntimeConfigKey("quarkus.lock.managers.stock.lease", "9s")
            .withApplicationRoot(jar -> jar.addClasses(Sale.class));

    @ApplicationScoped
    public static class Sale {

        @Locked(value = "stock-{id}", manager = "stock")
        public String sell(long id) {
            return "sold";
        }
    }

    @Inject
    @LockManagerName("stock")
    LockManager locks;

    @Inject
    Sale sale;

    @Test
    @Fault(540)
    void fault540_inheritedLingerIsIgnored() throws Exception {
        assertThat(sale.sell(7)).isEqualTo("sold");
        assertThat(locks.lock("stock-8").call(() -> "sold")).isEqualTo("sold");
    }
}
