package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** An application that wants no locks inside transactions gets none. */
class ActiveTransactionFailTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Watched.class, Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.active-transaction", "fail")
            .setLogRecordPredicate(record -> record.getLoggerName().endsWith(".LockedInterceptor"))
            .assertLogRecords(records -> assertThat(records).isEmpty());

    @Inject
    Orders orders;

    @Inject
    UserTransaction transaction;

    @Test
    void refuses() throws Exception {
        transaction.begin();
        assertThatThrownBy(() -> orders.pay()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'order'").hasMessageContaining("Orders.pay")
                .hasMessageContaining("quarkus.lock.active-transaction");
        assertThatThrownBy(() -> orders.payLater().await().indefinitely()).isInstanceOf(IllegalStateException.class);
        assertThat(held("order")).isFalse();
        transaction.commit();
        assertThat(orders.pay()).isTrue();
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        boolean pay() {
            return held("order");
        }

        @Locked("order")
        Uni<Boolean> payLater() {
            return Uni.createFrom().item(() -> held("order"));
        }
    }
}
