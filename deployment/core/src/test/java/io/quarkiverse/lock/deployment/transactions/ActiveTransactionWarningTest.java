package io.quarkiverse.lock.deployment.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** The log says once for each template that a lock inside a transaction is risky. */
class ActiveTransactionWarningTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Visit.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().endsWith(".LockedInterceptor"))
            .assertLogRecords(records -> {
                assertThat(records).filteredOn(record -> record.getMessage().contains("Lock 'order'")).hasSize(1);
                assertThat(records).filteredOn(record -> record.getMessage().contains("Lock 'stock-"))
                        .singleElement().satisfies(record -> assertThat(record.getMessage())
                                .contains("Orders.stock", "active transaction", "quarkus.lock.active-transaction=join"));
                assertThat(records).filteredOn(record -> record.getMessage().contains("Lock 'visit'")).hasSize(1);
            });

    @Inject
    Orders orders;

    @Inject
    Instance<Visit> visits;

    @Inject
    UserTransaction transaction;

    @Test
    void oneWarningPerTemplate() throws Exception {
        transaction.begin();
        orders.pay();
        orders.stock(1);
        orders.stock(2);
        transaction.commit();
        transaction.begin();
        orders.pay();
        orders.stock(3);
        transaction.commit();
    }

    /** Each instance has its own interceptor. */
    @Test
    void noExtraWarningPerInstance() throws Exception {
        for (int i = 0; i < 2; i++) {
            transaction.begin();
            visits.get().begin();
            transaction.commit();
        }
    }

    @Dependent
    public static class Visit {

        @Locked("visit")
        void begin() {
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        void pay() {
        }

        @Locked("stock-{id}")
        void stock(int id) {
        }
    }
}
