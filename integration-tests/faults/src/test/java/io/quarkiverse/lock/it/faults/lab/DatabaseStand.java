package io.quarkiverse.lock.it.faults.lab;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ExceptionSorter;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.MySQLExceptionSorter;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.api.transaction.TransactionIntegration;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.random.RandomLoad;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A relational database, with the lease strategy. Committed data survives a kill. */
final class DatabaseStand implements Stand {

    /** How long a dead JVM's place in the queue is kept. */
    static final Duration DEAD_WAITER = Duration.ofSeconds(5);
    static final Duration POSTGRES_LATE = Duration.ofMillis(800);
    static final String TERMINATE = "pg_terminate_backend of all connections";
    static final String TERMINATE_ALL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            + "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
    private static final int NO_SUCH_THREAD = 1094;
    static final JpaLockOptions OPTIONS = JpaLockOptions.STANDARD.withOperationTimeout(Duration.ofSeconds(2));

    private final DatabaseServer server;
    private final String ending;
    private final Callable<Void> endConnections;
    private final Duration late;

    /**
     * The backend of the JVMs: the kind of database, a JDBC URL, a user and a password; optionally the timeout of an operation
     * and the time after which idle rows are deleted.
     */
    public static final class Backend implements ChildBackend {

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            return new JpaLockBackend(database(arguments), "lab", owner);
        }

        private static JpaLockOptions options(List<String> arguments) {
            return arguments.size() == 4 ? OPTIONS
                    : new JpaLockOptions(Duration.parse(arguments.get(4)), OPTIONS.threads(), OPTIONS.listen(),
                            Duration.parse(arguments.get(5)), OPTIONS.dataSource(), null);
        }
    }

    /**
     * @param late the delay of all requests of a step, still within the timeout of one operation
     * @param ending the name of the deed that ends all connections
     */
    private DatabaseStand(DatabaseServer server, Duration late, String ending, Callable<Void> endConnections) {
        this.server = server;
        this.late = late;
        this.ending = ending;
        this.endConnections = endConnections;
        new Schema(database(direct())).create();
    }

    /** Test servers answer before anything is written, unless configured otherwise. Acquiring a lock takes a request or two. */
    static DatabaseStand postgres() {
        PostgresServer server = PostgresServer.start(Map.of("synchronous_commit", "on"));
        return new DatabaseStand(server, POSTGRES_LATE, TERMINATE, () -> {
            execute(server, TERMINATE_ALL);
            return null;
        });
    }

    /** Acquiring a contended lock takes a transaction of several requests. */
    static DatabaseStand mariaDb() {
        MariaDbServer server = MariaDbServer.start(MariaDbServer.SURVIVES_KILLS);
        return new DatabaseStand(server, Duration.ofMillis(400), "KILL of all connections", () -> {
            try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
                for (long id : connections(statement)) {
                    kill(statement, id);
                }
            }
            return null;
        });
    }

    DatabaseServer server() {
        return server;
    }

    /** Ends them on the server's side. */
    void endConnections() throws Exception {
        endConnections.call();
    }

    private static List<Long> connections(Statement statement) throws SQLException {
        var ids = new ArrayList<Long>();
        try (ResultSet rows = statement.executeQuery("SELECT id FROM information_schema.processlist "
                + "WHERE id <> CONNECTION_ID() AND user NOT IN ('system user', 'event_scheduler')")) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        return ids;
    }

    private static void kill(Statement statement, long id) throws SQLException {
        try {
            statement.execute("KILL HARD CONNECTION " + id);
        } catch (SQLException e) {
            if (e.getErrorCode() != NO_SUCH_THREAD) {
                throw e;
            }
        }
    }

    static void execute(DatabaseServer server, String sql) throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static LockDatabase database(List<String> where) {
        return database(where, Backend.options(where));
    }

    /** A pool and Hibernate as in an application, without one. */
    static LockDatabase database(List<String> where, JpaLockOptions options) {
        String url = where.get(1);
        String user = where.get(2);
        String password = where.get(3);
        return LockDatabase.of(pool(url, user, password, sorter(where.get(0)), TransactionIntegration.none(),
                TransactionIsolation.UNDEFINED, 6), sessions(where.get(0)),
                () -> DriverManager.getConnection(url, user, password), options);
    }

    /** The same for locks in transactions. */
    static LockDatabase database(AgroalDataSource pool, SessionFactory sessions, String url, String user, String password) {
        return LockDatabase.of(pool, sessions, () -> DriverManager.getConnection(url, user, password), OPTIONS);
    }

    static SessionFactory sessions(String kind) {
        return new Configuration().addAnnotatedClass(LockRow.class).addAnnotatedClass(LockClaimRow.class)
                .setProperty("hibernate.dialect",
                        "org.hibernate.dialect." + (isPostgres(kind) ? "PostgreSQL" : "MariaDB") + "Dialect")
                .setProperty("hibernate.boot.allow_jdbc_metadata_access", "false").buildSessionFactory();
    }

    static ExceptionSorter sorter(String kind) {
        return isPostgres(kind) ? new PostgreSQLExceptionSorter() : new MySQLExceptionSorter();
    }

    private static boolean isPostgres(String kind) {
        return kind.equals("postgresql");
    }

    static AgroalDataSource pool(String url, String user, String password, ExceptionSorter sorter,
            TransactionIntegration transactions, TransactionIsolation isolation, int size) {
        try {
            return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(pool -> pool
                    .maxSize(size).acquisitionTimeout(OPTIONS.operationTimeout())
                    .transactionIntegration(transactions)
                    .exceptionSorter(sorter)
                    .connectionValidator(ConnectionValidator.emptyValidator())
                    .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url).jdbcTransactionIsolation(isolation)
                            .principal(new NamePrincipal(user)).credential(new SimplePassword(password)))));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String name() {
        return server.kind();
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(List.of(server.host() + ":" + server.port()));
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return new ChildBackend.Spec(Backend.class, through(link.host(), link.port()));
    }

    @Override
    public LockBackend operator() {
        return new Backend().backend("operator", direct());
    }

    private List<String> direct() {
        return through(server.host(), server.port());
    }

    private List<String> through(String host, int port) {
        return List.of(server.kind(), server.url(host, port), server.user(), server.password());
    }

    @Override
    public List<LabDeed> commonDeeds() {
        return CommonDeeds.withReplies(late);
    }

    @Override
    public List<LabDeed> deeds() {
        return List.of(
                CommonDeeds.pauseOfServer(server::pause, server::resume),
                LabDeed.harmful("kill -9 and restart of the server", 1, (site, node, length, lock) -> server.restart()),
                LabDeed.harmful(ending, 1, (site, node, length, lock) -> endConnections()));
    }

    /** The timer is the one that deletes rows which have not been used for long. */
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
