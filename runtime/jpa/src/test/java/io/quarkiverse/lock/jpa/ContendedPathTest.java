package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

import org.hibernate.SessionFactory;
import org.hibernate.annotations.TenantId;
import org.hibernate.cfg.Configuration;
import org.hibernate.dialect.H2Dialect;
import org.hibernate.dialect.MySQLDialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.H2Database;
import io.quarkiverse.lock.testkit.server.MariaDbServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** Contended locks in a persistence unit with its own settings: code that needs Hibernate's sessions would fail there. */
class ContendedPathTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    /** An entity of the application. */
    @Entity
    static class Tenanted {

        @Id
        Long id;
        @TenantId
        String tenant;
    }

    private static SessionFactory sessions(Class<?> dialect, UnaryOperator<Configuration> settings) {
        return settings.apply(new Configuration().addAnnotatedClass(LockRow.class).addAnnotatedClass(LockClaimRow.class)
                .setProperty("hibernate.dialect", dialect.getName())
                .setProperty("hibernate.boot.allow_jdbc_metadata_access", "false")).buildSessionFactory();
    }

    private static Configuration withTenants(Configuration configuration) {
        return configuration.addAnnotatedClass(Tenanted.class);
    }

    private static Configuration quoted(Configuration configuration) {
        return configuration.setProperty("hibernate.globally_quoted_identifiers", "true");
    }

    private static void contend(DatabaseServer server, SessionFactory sessions) throws Exception {
        try (server; sessions; var locks = new Locks(server); var pool = Databases.pool(server, server.url(), 8)) {
            new Schema(LockDatabase.of(pool, sessions, null, Databases.OPTIONS)).create();
            LockManager one = locks.jvm(LockDatabase.of(pool, sessions, null, Databases.OPTIONS));
            LockManager other = locks.jvm(LockDatabase.of(pool, sessions, null, Databases.OPTIONS));
            for (LockMode mode : LockMode.values()) {
                LockHandle held = one.lock("contended").acquire();
                CompletableFuture<LockHandle> waiting = other.lock("contended", LockOptions.DEFAULTS.withMode(mode))
                        .acquireAsync().subscribeAsCompletionStage();
                Await.until("the other one waits", SOON, () -> {
                    assertThat(waiting).isNotCompletedExceptionally();
                    return one.inspect("contended").orElseThrow().waiters() == 1;
                });
                held.close();
                Await.until("the other one has it", SOON, waiting::isDone);
                assertThat(other.forceRelease("contended")).isTrue();
                waiting.get().close();
            }
        }
    }

    @Test
    @Fault(114)
    void fault114_contendedLocksWorkWithTenantId() throws Exception {
        contend(new H2Database(), sessions(H2Dialect.class, ContendedPathTest::withTenants));
        contend(PostgresServer.start(Map.of()), sessions(PostgreSQLDialect.class, ContendedPathTest::withTenants));
    }

    @Test
    @Fault(114)
    void fault114_contendedLocksWorkWithQuotedIdentifiers() throws Exception {
        contend(new H2Database(), sessions(H2Dialect.class, ContendedPathTest::quoted));
    }

    @Test
    @Fault(114)
    void fault114_contendedLocksWorkWithMySqlDialectOnMariaDb() throws Exception {
        contend(MariaDbServer.start(), sessions(MySQLDialect.class, each -> each));
    }
}
