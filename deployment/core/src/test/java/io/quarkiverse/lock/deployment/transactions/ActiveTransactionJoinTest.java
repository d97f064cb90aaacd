package io.quarkiverse.lock.deployment.transactions;

import static io.quarkiverse.lock.deployment.transactions.Watched.held;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;

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
    void lockJoinsTransactionWithoutWarning() throws Exception {
        transaction.begin();
        assertThat(orders.pay()).isTrue();
        assertThat(held("order")).isTrue();
        transaction.commit();
        assertThat(held("order")).isFalse();
    }

    /** The transaction holds the lock, not either of the calls. */
    @Test
    void combinedUnisRunTogetherInOneTransaction() throws Exception {
        transaction.begin();
        Uni.combine().all().unis(orders.payTogether(), orders.payTogether()).discardItems().await()
                .atMost(Duration.ofSeconds(10));
        assertThat(held("order")).isTrue();
        transaction.commit();
        assertThat(held("order")).isFalse();
    }

    @ApplicationScoped
    public static class Orders {

        private final List<UniEmitter<? super Boolean>> paying = new CopyOnWriteArrayList<>();

        /** Completes once two calls are in progress. */
        @Locked("order")
        Uni<Boolean> payTogether() {
            return Uni.createFrom().emitter(emitter -> {
                paying.add(emitter);
                if (paying.size() == 2) {
                    paying.forEach(each -> each.complete(true));
                }
            });
        }

        @Locked("order")
        boolean pay() {
            return held("order");
        }
    }
}
