package io.quarkiverse.lock.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

import org.hibernate.SessionFactory;
import org.hibernate.annotations.TenantId;
import org.hibernate.cfg.Configuration;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.dialect.H2Dialect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.dialect.H2LockDialect;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** What other databases than those of the tests demand. */
@Timeout(120)
class PortableRowLockTest {

    private static final String INSERT = "INSERT INTO quarkus_lock (id, name, format, fence, ticket, since, expires, "
            + "shared_until, queue_until) VALUES ('%s', 'name', 1, 0, 0, 0, 0, 0, 0)";

    private final RowLock rowLock = rowLock(Databases.sessions("h2"));

    private static RowLock rowLock(SessionFactory sessions) {
        return new PortableRowLock(sessions, "quarkus_lock", "SELECT " + H2LockDialect.NOW, RowLockErrors.H2, true);
    }

    @Test
    @Fault(468) // Oracle does not have READ UNCOMMITTED
    void fault468_holderIsDetectedWithoutReadUncommitted() throws Exception {
        try (var server = Databases.withTables(new H2Database());
                Connection looking = committedOnly(server.connect());
                Connection holder = server.connect();
                Statement statement = holder.createStatement()) {
            Map<String, Long> committed = new LinkedHashMap<>();
            for (String id : new String[] { "a", "b", "c" }) {
                statement.execute(INSERT.formatted(id));
                committed.put(id, 0L);
            }
            assertThat(rowLock.held(looking, "b")).isFalse();
            holder.setAutoCommit(false);
            rowLock.lock(holder, "b", 0, RowLock.Running.NOBODY);
            assertThat(rowLock.held(looking, "b")).isTrue();
            assertThat(rowLock.held(looking, "none")).isFalse();
            assertThat(rowLock.held(looking, committed)).containsExactly("b");
            holder.commit();
            assertThat(rowLock.held(looking, committed)).isEmpty();
            assertThat(looking.getAutoCommit()).isTrue();
            try (Connection next = server.connect()) {
                next.setAutoCommit(false);
                assertThat(rowLock.lock(next, "b", 0, RowLock.Running.NOBODY)).as("nobody has it locked any more").isNotNull();
                next.rollback();
            }
        }
    }

    /** Outside requests, on the threads of locks among others, the application names no tenant. */
    @Test
    @Fault(569)
    void fault569_rowIsLockedWithoutATenant() throws Exception {
        rowIsLocked(null);
    }

    /** Which tenants there are is the application's to say, and it may refuse any other. */
    @Test
    @Fault(569)
    void fault569_rowIsLockedForTheTenantOfTheRequest() throws Exception {
        rowIsLocked("acme");
    }

    private static void rowIsLocked(@Nullable String tenant) throws Exception {
        try (SessionFactory sessions = new Configuration().addAnnotatedClass(LockRow.class)
                .addAnnotatedClass(OfATenant.class)
                .setProperty("hibernate.dialect", H2Dialect.class.getName())
                .setProperty("hibernate.boot.allow_jdbc_metadata_access", "false")
                .setCurrentTenantIdentifierResolver(new OnlyTenant(tenant))
                .buildSessionFactory();
                var server = Databases.withTables(new H2Database());
                Connection holder = server.connect();
                Connection looking = server.connect();
                Statement statement = holder.createStatement()) {
            statement.execute(INSERT.formatted("a"));
            holder.setAutoCommit(false);
            RowLock tenants = rowLock(sessions);
            assertThat(tenants.lock(holder, "a", 0, RowLock.Running.NOBODY)).isNotNull();
            assertThat(tenants.held(looking, "a")).isTrue();
        }
    }

    @Entity
    static class OfATenant {

        @Id
        long id;
        @TenantId
        String tenant;
    }

    /** As in Quarkus: without a request the application is asked neither for a tenant nor about one. */
    private record OnlyTenant(@Nullable String tenant) implements CurrentTenantIdentifierResolver<Object> {

        @Override
        public @Nullable Object resolveCurrentTenantIdentifier() {
            return tenant;
        }

        @Override
        public boolean isRoot(Object asked) {
            if (tenant != null && !asked.equals(tenant)) {
                throw new IllegalArgumentException("Unknown tenant: '" + asked + "'");
            }
            return false;
        }

        @Override
        public boolean validateExistingCurrentSessions() {
            return false;
        }
    }

    private static Connection committedOnly(Connection real) {
        return (Connection) Proxy.newProxyInstance(PortableRowLockTest.class.getClassLoader(),
                new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
                    if (method.getName().equals("unwrap")) {
                        return proxy;
                    }
                    if (method.getName().equals("setTransactionIsolation")
                            && arguments[0].equals(Connection.TRANSACTION_READ_UNCOMMITTED)) {
                        throw new SQLFeatureNotSupportedException(
                                "READ_COMMITTED and SERIALIZABLE are the only valid transaction levels");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw (SQLException) e.getCause();
                    }
                });
    }
}
