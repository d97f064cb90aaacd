package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** A developer who knows what a lock inside a transaction means gets no warning. */
class ActiveTransactionJoinTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Watched.class, Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.active-transaction", "join")
            .setLogRecordPredicate(record -> record.getLoggerName().endsWith(".LockedInterceptor"))
            .assertLogRecords(records -> assertThat(records).isEmpty());

    @Inject
    Orders orders;

    @Inject
    UserTransaction transaction;

    @Test
    void bindsWithoutAWord() throws Exception {
        transaction.begin();
        assertThat(orders.pay()).isTrue();
        assertThat(held("order")).isTrue();
        transaction.commit();
        assertThat(held("order")).isFalse();
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        boolean pay() {
            return held("order");
        }
    }
}
