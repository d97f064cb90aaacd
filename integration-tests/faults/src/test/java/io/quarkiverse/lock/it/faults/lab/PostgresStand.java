package io.quarkiverse.lock.it.faults.lab;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.JpaLockOptions;
import io.quarkiverse.lock.jpa.LockClaimRow;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.LockRow;
import io.quarkiverse.lock.jpa.Schema;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.random.RandomLoad;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A PostgreSQL, with the lease strategy. What it has committed survives a kill. */
final class PostgresStand implements Stand {

    /** For how long a dead JVM's place in the queue is kept. */
    private static final Duration DEAD_WAITER = Duration.ofSeconds(5);
    private static final JpaLockOptions OPTIONS = JpaLockOptions.STANDARD.withOperationTimeout(Duration.ofSeconds(2));

    /** Whose tests' servers answer before anything is written, unless they are told not to. */
    private final PostgresServer server = PostgresServer.start(Map.of("synchronous_commit", "on"));

    /** The backend of the JVMs: at a JDBC URL, for a user with a password. */
    public static final class Backend implements ChildBackend {

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            return new JpaLockBackend(database(arguments.get(0), arguments.get(1), arguments.get(2)), "lab", owner);
        }
    }

    PostgresStand() {
        new Schema(database(server.url(), server.user(), server.password())).create();
    }

    /** A pool and Hibernate as an application has them, without one. */
    private static LockDatabase database(String url, String user, String password) {
        SessionFactory sessions = new Configuration().addAnnotatedClass(LockRow.class).addAnnotatedClass(LockClaimRow.class)
                .setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
                .setProperty("hibernate.boot.allow_jdbc_metadata_access", "false").buildSessionFactory();
        return LockDatabase.of(pool(url, user, password), sessions, () -> DriverManager.getConnection(url, user, password),
                OPTIONS);
    }

    private static AgroalDataSource pool(String url, String user, String password) {
        try {
            return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(pool -> pool
                    .maxSize(6).acquisitionTimeout(Duration.ofSeconds(5))
                    .exceptionSorter(new PostgreSQLExceptionSorter())
                    .connectionValidator(ConnectionValidator.emptyValidator())
                    .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url)
                            .principal(new NamePrincipal(user)).credential(new SimplePassword(password)))));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(List.of(server.host() + ":" + server.port()));
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return new ChildBackend.Spec(Backend.class,
                List.of(server.url(link.host(), link.port()), server.user(), server.password()));
    }

    @Override
    public LockBackend operator() {
        return new Backend().backend("operator", List.of(server.url(), server.user(), server.password()));
    }

    @Override
    public List<LabDeed> deeds() {
        return List.of(
                LabDeed.harmful("SIGSTOP of the server", 1, (site, node, length, lock) -> {
                    server.pause();
                    site.last(length);
                }).healedBy((site, node, length, lock) -> server.resume()),
                LabDeed.harmful("kill -9 and restart of the server", 1, (site, node, length, lock) -> server.restart()),
                LabDeed.harmful("pg_terminate_backend of all connections", 1, (site, node, length, lock) -> terminate()));
    }

    private void terminate() throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    + "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
        }
    }

    /** The timer is the one that deletes rows which nobody has used for long. */
    @Override
    public RandomLoad load() {
        return new RandomLoad(NAMES, THREADS, LONGEST_LEASE, Duration.ZERO, 1);
    }

    @Override
    public HistoryChecker limits() {
        HistoryChecker standard = HistoryChecker.STANDARD;
        return new HistoryChecker(standard.slack(), standard.rest(), standard.recovery().plus(DEAD_WAITER));
    }

    @Override
    public Duration latestTakeover() {
        return Stand.super.latestTakeover().plus(DEAD_WAITER);
    }

    @Override
    public void close() {
        server.close();
    }
}
