package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
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
    void lockInsideTransactionIsRejected() throws Exception {
        transaction.begin();
        assertThatThrownBy(() -> orders.pay()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'order'").hasMessageContaining("Orders.pay")
                .hasMessageContaining("quarkus.lock.active-transaction");
        assertThatThrownBy(() -> orders.payLater().await().indefinitely()).isInstanceOf(IllegalStateException.class);
        assertThat(held("order")).isFalse();
        transaction.commit();
        assertThat(orders.pay()).isTrue();
    }

    @Test
    void fault495_lockWithItsOwnTransactionIsAllowed() throws Exception {
        transaction.begin();
        assertThat(orders.payApart()).isTrue();
        assertThat(held("order")).isFalse();
        transaction.commit();
    }

    /** The nested call had the lock before its transaction began, which is the outer call's own. */
    @Test
    void fault423_nestedCallReentersInOuterCallsTransaction() {
        assertThat(orders.payInside(() -> orders.payLater()).await().atMost(Duration.ofSeconds(10))).isTrue();
        assertThat(orders.payInside(() -> orders.payMany().collect().first()).await().atMost(Duration.ofSeconds(10))).isTrue();
        assertThat(held("order")).isFalse();
    }

    /** No matter what else the outer call has locked. */
    @Test
    void fault423_otherLocksAreStillRejected() {
        assertThatThrownBy(() -> orders.payInside(() -> orders.stock()).await().atMost(Duration.ofSeconds(10)))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("'stock'");
        assertThat(held("order")).isFalse();
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        @Transactional
        Uni<Boolean> payInside(Supplier<Uni<Boolean>> body) {
            return body.get();
        }

        @Locked("order")
        Multi<Boolean> payMany() {
            return Multi.createFrom().item(() -> held("order"));
        }

        @Locked("stock")
        Uni<Boolean> stock() {
            return Uni.createFrom().item(() -> held("stock"));
        }

        @Locked("order")
        boolean pay() {
            return held("order");
        }

        @Locked("order")
        @Transactional(TxType.REQUIRES_NEW)
        boolean payApart() {
            return held("order");
        }

        @Locked("order")
        Uni<Boolean> payLater() {
            return Uni.createFrom().item(() -> held("order"));
        }
    }
}
