package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.dialect.H2LockDialect;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** Connections go back to the pool with the isolation level that they had. */
@Timeout(120)
class KeptIsolationTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final H2Database server = Databases.prepared(new H2Database());
    private final Locks locks = new Locks(server);

    @AfterEach
    void close() throws Exception {
        locks.close();
        server.close();
    }

    /** The pool does not know this level. When a connection is returned, it sets the level that it takes for the default. */
    @Test
    @Fault(368)
    void fault368_sessionIsolationSettingIsKept() throws Exception {
        try (AgroalDataSource pool = AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(each -> each.maxSize(1).acquisitionTimeout(SOON)
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(server.url())
                                .principal(new NamePrincipal(server.user()))
                                .credential(new SimplePassword(server.password()))
                                .initialSql("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE"))))) {
            assertThat(level(pool)).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            LockManager manager = locks.jvm(pool, new H2LockDialect(), Databases.OPTIONS);
            LockManager other = locks.jvm();
            LockHandle held = other.lock("n").acquire();
            CompletableFuture<LockHandle> waiting = manager.lock("n", LockOptions.DEFAULTS.withWaitFor(SOON)).acquireAsync()
                    .subscribeAsCompletionStage();
            Await.until("it waits", SOON, () -> other.inspect("n").orElseThrow().waiters() > 0);
            held.close();
            waiting.get(SOON.toSeconds(), TimeUnit.SECONDS).close();
            assertThat(level(pool)).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        }
    }

    private static int level(AgroalDataSource pool) throws Exception {
        try (Connection connection = pool.getConnection()) {
            return connection.getTransactionIsolation();
        }
    }
}
