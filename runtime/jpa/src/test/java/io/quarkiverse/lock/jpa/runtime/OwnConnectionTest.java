package io.quarkiverse.lock.jpa.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import javax.sql.XADataSource;

import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.PGConnection;
import org.postgresql.xa.PGXADataSource;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.AgroalPoolInterceptor;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.H2Database;
import io.quarkiverse.lock.testkit.server.MariaDbServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;
import io.quarkiverse.lock.testkit.server.SelfSigned;

/** The connection outside the pool. */
@Timeout(180) // it starts MariaDB, and may be the first test to unpack it
class OwnConnectionTest {

    /** How long the driver holds back each message, unless its sockets are ours. */
    private static final long DELAY = TimeUnit.MILLISECONDS.toNanos(1);

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.start(Map.of());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static AgroalDataSource pool(Map<String, String> properties) throws SQLException {
        return pool(server, properties);
    }

    private static AgroalDataSource pool(DatabaseServer server, Map<String, String> properties) throws SQLException {
        return pool(server, null, properties);
    }

    /** @param provider the driver's data source; null for the driver's default for the URL */
    private static AgroalDataSource pool(DatabaseServer server, @Nullable Class<? extends XADataSource> provider,
            Map<String, String> properties) throws SQLException {
        return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(pool -> pool
                .maxSize(1).connectionFactoryConfiguration(factory -> {
                    factory.connectionProviderClass(provider).jdbcUrl(server.url()).principal(new NamePrincipal(server.user()))
                            .credential(new SimplePassword(server.password()));
                    properties.forEach(factory::jdbcProperty);
                    return factory;
                })));
    }

    @Test
    void notificationsArriveWithoutDelay() throws Exception {
        try (AgroalDataSource pool = pool(Map.of());
                Connection listening = new OwnConnection(pool).open();
                Connection telling = pool.getConnection()) {
            assertThat(quickest(listening, telling)).isLessThan(DELAY);
        }
    }

    @Test
    void notificationsArriveWithoutDelayOverTls() throws Exception {
        try (SelfSigned files = SelfSigned.make();
                PostgresServer secure = PostgresServer.start(Map.of("ssl", "on", "ssl_key_file", files.key().toString(),
                        "ssl_cert_file", files.certificate().toString()));
                AgroalDataSource pool = pool(secure, Map.of("sslmode", "require"));
                Connection listening = new OwnConnection(pool).open();
                Connection telling = pool.getConnection();
                Statement statement = listening.createStatement()) {
            var tls = statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
            assertThat(tls.next() && tls.getBoolean(1)).as("encrypted").isTrue();
            assertThat(quickest(listening, telling)).isLessThan(DELAY);
        }
    }

    private static long quickest(Connection listening, Connection telling) throws SQLException {
        try (Statement listen = listening.createStatement(); Statement tell = telling.createStatement()) {
            listen.execute("LISTEN own");
            long quickest = Long.MAX_VALUE;
            for (int i = 0; i < 2_000 && quickest >= DELAY; i++) { // a busy machine is not always busy
                tell.execute("NOTIFY own, '" + i + "'");
                long told = System.nanoTime();
                assertThat(listening.unwrap(PGConnection.class).getNotifications(10_000)).hasSize(1);
                quickest = Math.min(quickest, System.nanoTime() - told);
            }
            return quickest;
        }
    }

    @Test
    void poolKeepsItsOwnSettings() throws Exception {
        try (AgroalDataSource pool = pool(Map.of("ApplicationName", "shop"));
                Connection own = new OwnConnection(pool).open();
                Statement statement = own.createStatement()) {
            var rows = statement.executeQuery("SHOW application_name");
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("shop");
            var configured = pool.getConfiguration().connectionPoolConfiguration().connectionFactoryConfiguration();
            assertThat(configured.jdbcUrl()).isEqualTo(server.url());
            assertThat(configured.jdbcProperties()).hasSize(1);
        }
    }

    @Test
    void applicationSocketFactoryIsUsed() throws Exception {
        try (AgroalDataSource pool = pool(Map.of("socketFactory", "no.such.Factory"))) {
            assertThatThrownBy(() -> new OwnConnection(pool).open()).isInstanceOf(SQLException.class)
                    .hasStackTraceContaining("no.such.Factory");
        }
    }

    /** Remembers the calls of the pool. */
    private record Interceptor(int priority, List<String> calls, String onCreate) implements AgroalPoolInterceptor {

        @Override
        public void onConnectionCreate(Connection connection) {
            calls.add("create " + priority);
            execute(connection, onCreate);
        }

        @Override
        public void onConnectionAcquire(Connection connection) {
            calls.add("acquire " + priority);
        }

        @Override
        public int getPriority() {
            return priority;
        }

        private static void execute(Connection connection, String sql) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    @Fault(416)
    void fault416_poolInterceptorsSeeOwnConnection() throws Exception {
        List<String> calls = new CopyOnWriteArrayList<>();
        try (AgroalDataSource pool = pool(Map.of())) {
            pool.setPoolInterceptors(List.of(new Interceptor(2, calls, "SELECT 1"), new Interceptor(1, calls, "SELECT 1")));
            pool.getConnection().close();
            List<String> byThePool = List.copyOf(calls);
            calls.clear();
            new OwnConnection(pool).open().close();
            assertThat(calls).isEqualTo(byThePool).containsExactly("create 1", "create 2", "acquire 1", "acquire 2");
        }
    }

    @Test
    @Fault(416)
    void fault416_connectionRefusedByInterceptorIsClosed() throws Exception {
        try (AgroalDataSource pool = pool(Map.of("ApplicationName", "refused")); Connection looking = server.connect()) {
            pool.setPoolInterceptors(List.of(new Interceptor(1, new ArrayList<>(), "SELECT nothing")));
            assertThatThrownBy(() -> new OwnConnection(pool).open()).isInstanceOf(IllegalStateException.class);
            Await.until("it ends", Duration.ofSeconds(20), () -> number(looking,
                    "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'refused'") == 0);
        }
    }

    /** The tables are found only in that schema, and the application uses all connections of its pool. */
    @Test
    @Fault(416)
    void fault416_leasesAreRenewedInSchemaChosenByInterceptor() throws Exception {
        try (AgroalDataSource pool = pool(Map.of()); Connection admin = server.connect()) {
            Interceptor.execute(admin, "CREATE SCHEMA chosen");
            pool.setPoolInterceptors(List.of(new Interceptor(1, new ArrayList<>(), "SET search_path TO chosen")));
            LockDatabase database = LockDatabase.of(pool, Databases.sessions("postgresql"), new OwnConnection(pool),
                    Databases.OPTIONS);
            new Schema(database).create();
            try (LockEngine engine = LockEngine.builder(new JpaLockBackend(database, "chosen", "test")).start();
                    LockHandle hold = engine.manager(ManagerDefaults.STANDARD)
                            .lock("n", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(2))).acquire()) {
                try (Connection taken = pool.getConnection()) {
                    assertThat(taken.isValid(1)).isTrue();
                    Await.during("it is renewed", Duration.ofSeconds(5), hold::isValid);
                }
            }
        }
    }

    @Test
    @Fault(320)
    void fault320_xaConnectionIsClosedPhysically() throws Exception {
        endsWhenClosed(server, PGXADataSource.class, "SELECT pg_backend_pid()",
                "SELECT COUNT(*) FROM pg_stat_activity WHERE pid = ");
    }

    @Test
    @Fault(320)
    void fault320_xaConnectionIsClosedPhysicallyOnH2() throws Exception {
        try (var h2 = new H2Database()) {
            endsWhenClosed(h2, JdbcDataSource.class, "SELECT SESSION_ID()",
                    "SELECT COUNT(*) FROM information_schema.sessions WHERE session_id = ");
        }
    }

    @Test
    @Fault(320)
    @FullBuild
    void fault320_xaConnectionIsClosedPhysicallyOnMariaDb() throws Exception {
        try (var mariaDb = MariaDbServer.start()) {
            endsWhenClosed(mariaDb, MariaDbDataSource.class, "SELECT CONNECTION_ID()",
                    "SELECT COUNT(*) FROM information_schema.processlist WHERE id = ");
        }
    }

    /** Closing a handle of an XA connection is not enough to end it. */
    private static void endsWhenClosed(DatabaseServer server, Class<? extends XADataSource> provider, String self,
            String sessions) throws Exception {
        try (AgroalDataSource pool = pool(server, provider, Map.of()); Connection looking = server.connect()) {
            for (boolean failing : new boolean[] { false, true }) {
                Connection own = new OwnConnection(pool).open();
                String ofOwn = sessions + number(own, self);
                assertThat(number(looking, ofOwn)).isOne();
                own.setAutoCommit(false);
                if (failing) {
                    assertThatThrownBy(() -> number(own, "SELECT nothing FROM nowhere")).isInstanceOf(SQLException.class);
                }
                own.rollback();
                own.close();
                own.close();
                assertThat(own.isClosed()).isTrue();
                Await.until("its session ends", Duration.ofSeconds(20), () -> number(looking, ofOwn) == 0);
            }
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
