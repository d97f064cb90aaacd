package io.quarkiverse.lock.jpa;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

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
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.jpa.dialect.H2LockDialect;
import io.quarkiverse.lock.jpa.dialect.PortableLockDialect;
import io.quarkiverse.lock.jpa.notify.NotificationListener;
import io.quarkiverse.lock.jpa.notify.PromptSockets;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.contract.JpaContractEnvironment.BackendFactory;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** Hibernate and a pool as in an application, but without the application. */
public final class Databases implements BackendFactory {

    private static final Map<String, String> DIALECTS = Map.of("h2", "org.hibernate.dialect.H2Dialect", "postgresql",
            "org.hibernate.dialect.PostgreSQLDialect", "mariadb", "org.hibernate.dialect.MariaDBDialect", "mysql",
            "org.hibernate.dialect.MySQLDialect");
    private static final Map<String, SessionFactory> SESSIONS = new ConcurrentHashMap<>();
    public static final JpaLockOptions OPTIONS = JpaLockOptions.STANDARD;

    /** Share of the repetitions that run on databases other than PostgreSQL: some hundreds are enough for the differences. */
    public static final double FEWER = 0.1;

    private static final JpaLockOptions PATIENT = JpaLockOptions.STANDARD.withOperationTimeout(Duration.ofSeconds(30));

    private final JpaLockOptions options;
    private final boolean portable;

    public Databases() {
        this(OPTIONS, false);
    }

    /** @param portable with the statements of databases that are not tested here */
    public Databases(JpaLockOptions options, boolean portable) {
        this.options = options;
        this.portable = portable;
    }

    public static SessionFactory sessions(String kind) {
        return SESSIONS.computeIfAbsent(kind, each -> new Configuration().addAnnotatedClass(LockRow.class)
                .addAnnotatedClass(LockClaimRow.class)
                .setProperty("hibernate.dialect", DIALECTS.get(kind))
                .setProperty("hibernate.boot.allow_jdbc_metadata_access", "false")
                .buildSessionFactory());
    }

    public static AgroalDataSource pool(DatabaseServer server, String url, int size) {
        return pool(server.kind(), url, server.user(), server.password(), size);
    }

    public static AgroalDataSource pool(String kind, String url, String user, String password, int size) {
        return pool(kind, url, user, password, size, TransactionIntegration.none());
    }

    public static AgroalDataSource pool(String kind, String url, String user, String password, int size,
            TransactionIntegration transactions) {
        return pool(kind, url, user, password, size, transactions, OPTIONS.operationTimeout());
    }

    public static AgroalDataSource pool(String kind, String url, String user, String password, int size,
            TransactionIntegration transactions, Duration patience) {
        return pool(kind, url, user, password, size, transactions, patience, TransactionIsolation.UNDEFINED);
    }

    public static AgroalDataSource pool(String kind, String url, String user, String password, int size,
            TransactionIntegration transactions, Duration patience, TransactionIsolation isolation) {
        ExceptionSorter sorter = switch (kind) {
            case "postgresql" -> new PostgreSQLExceptionSorter();
            case "mariadb", "mysql" -> new MySQLExceptionSorter();
            default -> ExceptionSorter.emptyExceptionSorter();
        };
        try {
            return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(pool -> pool
                    .maxSize(size).transactionIntegration(transactions).acquisitionTimeout(patience)
                    .exceptionSorter(sorter)
                    .connectionValidator(ConnectionValidator.emptyValidator())
                    .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url)
                            .jdbcTransactionIsolation(isolation)
                            .principal(new NamePrincipal(user))
                            .credential(new SimplePassword(password)))));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** With the tables in place. */
    public LockDatabase database(DatabaseServer server, String url, int poolSize, Consumer<AutoCloseable> closeLater) {
        AgroalDataSource pool = pool(server, url, poolSize);
        closeLater.accept(pool);
        UnpooledConnections listening = () -> java.sql.DriverManager.getConnection(PromptSockets.in(url),
                server.user(), server.password());
        SessionFactory sessions = sessions(server.kind());
        return portable
                ? LockDatabase.of(pool, sessions, new PortableLockDialect("h2", H2LockDialect.NOW, ""), listening, options)
                : LockDatabase.of(pool, sessions, listening, options);
    }

    /** For the set-up before the tests: on a busy machine a first connection takes longer than any test may. */
    private static AgroalDataSource patientPool(DatabaseServer server) {
        return pool(server.kind(), server.url(), server.user(), server.password(), 2, TransactionIntegration.none(),
                PATIENT.operationTimeout());
    }

    /** Creates the tables, and nothing else. */
    public static <T extends DatabaseServer> T withTables(T server) {
        try (AgroalDataSource pool = patientPool(server)) {
            new Schema(LockDatabase.of(pool, sessions(server.kind()), null, PATIENT)).create();
        }
        return server;
    }

    /** Its tables are there. */
    public static <T extends DatabaseServer> T prepared(T server) {
        withTables(server);
        try (AgroalDataSource pool = patientPool(server)) {
            LockDatabase database = LockDatabase.of(pool, sessions(server.kind()), null, PATIENT);
            // The first use of Hibernate takes longer than some tests allow
            database.steps().transaction(database.steps().deadline() + 60_000_000_000L,
                    connection -> LockRow.lock(connection, database.statements(), "") == null);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return server;
    }

    @Override
    public LockBackend backend(DatabaseServer server, String url, String namespace, String owner,
            Consumer<AutoCloseable> closeLater) {
        return new JpaLockBackend(database(server, url, 8, closeLater), namespace, owner);
    }

    @Override
    public String id(String namespace, String name) {
        return new LockNames(namespace).id(name);
    }

    @Override
    public String listed(String namespace, String name) {
        int left = LockRow.NAME_LENGTH - namespace.length() - 1;
        for (int i = 0; i < name.length(); i++) {
            left -= name.charAt(i) >= ' ' && name.charAt(i) <= '~' ? 1 : 6;
            if (left < 0) {
                return name.substring(0, i) + "\u2026";
            }
        }
        return name;
    }

    /** Whether notifications arrive. */
    public static boolean notified(LockDatabase database) {
        NotificationListener listener = database.listener();
        return listener != null && listener.proven();
    }
}
