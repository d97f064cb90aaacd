package io.quarkiverse.lock.jpa;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

import javax.sql.DataSource;

import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalDataSourceConfiguration.DataSourceImplementation;
import io.quarkiverse.lock.jpa.claim.QuickSteps;
import io.quarkiverse.lock.jpa.database.BoundedConnections;
import io.quarkiverse.lock.jpa.database.CallerTurns;
import io.quarkiverse.lock.jpa.database.ConnectionSource;
import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.NetworkTimeout;
import io.quarkiverse.lock.jpa.database.PgDriver;
import io.quarkiverse.lock.jpa.database.PostgresDriver;
import io.quarkiverse.lock.jpa.database.RenewalConnection;
import io.quarkiverse.lock.jpa.database.StatementWatchdog;
import io.quarkiverse.lock.jpa.database.StepLimit;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.dialect.LockDialects;
import io.quarkiverse.lock.jpa.grace.Marker;
import io.quarkiverse.lock.jpa.notify.NotificationListener;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.notify.Subscribers;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.MappedTable;
import io.quarkiverse.lock.jpa.table.Statements;

/**
 * The database that stores the locks, shared by the backends of a JVM: its connections, statements, worker threads and clock.
 * This class only constructs them. Every step borrows a pooled connection for its duration. Holding or waiting for a lock
 * occupies no pooled connection, and keeping it needs none.
 */
public final class LockDatabase {

    private final DataSource dataSource;
    private final JpaLockOptions options;
    private final LockDialect dialect;
    private final String lockTable;
    private final String claimTable;
    private final @Nullable PostgresDriver postgres;
    private final @Nullable Marker marker;
    private final Statements statements;
    private final @Nullable QuickSteps quickSteps;
    private final ErrorMessages errors;
    private final Workers workers;
    private final CallerTurns callerTurns;
    private final StepLimit stepLimit;
    private final Steps steps;
    private final Steps renewing;
    private final @Nullable BoundedConnections outside;
    private final @Nullable RenewalConnection renewalConnection;
    private final DatabaseClock clock = new DatabaseClock();
    private final Set<Object> users = ConcurrentHashMap.newKeySet();
    private final Subscribers subscribers = new Subscribers();
    private final Notifier notifier;
    private final @Nullable NotificationListener listener;
    private volatile boolean closed;

    private LockDatabase(DataSource dataSource, SessionFactory sessions, LockDialect dialect,
            @Nullable UnpooledConnections unpooled, @Nullable PostgresDriver postgres, JpaLockOptions options) {
        this.dataSource = dataSource;
        this.postgres = postgres;
        this.options = options;
        this.dialect = dialect;
        lockTable = MappedTable.name(sessions, LockRow.class, LockRow.ALL_COLUMNS);
        claimTable = MappedTable.name(sessions, LockClaimRow.class, LockClaimRow.ALL_COLUMNS);
        marker = Marker.of(dialect, lockTable, options);
        String open = marker == null ? "" : marker.open();
        statements = new Statements(dialect, lockTable, claimTable, open);
        boolean tells = dialect.notifies(); // whoever listens expects that of all, and a pooler passes on what is sent
        quickSteps = dialect.changesSeveralTablesAtOnce() ? new QuickSteps(dialect, lockTable, claimTable, open) : null;
        errors = new ErrorMessages(options, lockTable + " and " + claimTable, LockRow.FORMAT);
        var connections = new Semaphore(options.threads(), true);
        workers = new Workers(options.threads(), connections);
        callerTurns = new CallerTurns(sessions, dialect.bearsInterruption() && givesUpInTime(dataSource, options), connections);
        stepLimit = dialect.abortsAtOnce() ? new StatementWatchdog() : new NetworkTimeout();
        ConnectionSource pool = ConnectionSource.of(dataSource);
        steps = new Steps(pool, dialect, stepLimit, callerTurns, options.threads(), options.operationTimeout());
        outside = unpooled == null ? null : new BoundedConnections(unpooled, options.operationTimeout());
        renewalConnection = outside == null ? null : new RenewalConnection(outside, pool, errors);
        renewing = renewalConnection == null ? steps : steps.on(renewalConnection);
        notifier = new Notifier(steps, workers, statements.wakeFirst, tells);
        listener = outside != null && postgres != null && tells && options.listen()
                ? new NotificationListener(steps, workers, outside, postgres, subscribers)
                : null;
    }

    /**
     * For an application that has PostgreSQL's driver, or never becomes a native executable. No I/O happens here.
     *
     * @param dataSource gives connections outside any transaction when called on a thread without one
     * @param sessions knows the table names of {@link LockRow} and {@link LockClaimRow}
     * @param unpooled opens connections outside the pool: one to renew leases or to check sessions, and one to listen for
     *        releases, if the database can notify; null to use the pool, and to poll
     */
    public static LockDatabase of(DataSource dataSource, SessionFactory sessions, @Nullable UnpooledConnections unpooled,
            JpaLockOptions options) {
        return of(dataSource, sessions, unpooled, new PgDriver(), options);
    }

    /** @param postgres {@code null} if the application does not have that driver: then waiters poll */
    public static LockDatabase of(DataSource dataSource, SessionFactory sessions, @Nullable UnpooledConnections unpooled,
            @Nullable PostgresDriver postgres, JpaLockOptions options) {
        var hibernate = sessions.unwrap(SessionFactoryImplementor.class).getJdbcServices().getDialect();
        return new LockDatabase(dataSource, sessions, LockDialects.of(hibernate, options.operationTimeout()), unpooled,
                postgres, options);
    }

    /** With another dialect than Hibernate's. */
    public static LockDatabase of(DataSource dataSource, SessionFactory sessions, LockDialect dialect,
            @Nullable UnpooledConnections unpooled, JpaLockOptions options) {
        return new LockDatabase(dataSource, sessions, dialect, unpooled, new PgDriver(), options);
    }

    /** Whether the pool itself ends a wait for a connection in time: nothing else does. */
    private static boolean givesUpInTime(DataSource dataSource, JpaLockOptions options) {
        if (dataSource instanceof AgroalDataSource pool) {
            Duration patience = pool.getConfiguration().connectionPoolConfiguration().acquisitionTimeout();
            return !patience.isZero() && patience.compareTo(options.operationTimeout()) <= 0 && !asksFirst(pool);
        }
        return false;
    }

    /** Whether the pool may talk to the database before it gives out a connection, on the requesting thread. */
    private static boolean asksFirst(AgroalDataSource dataSource) {
        var pool = dataSource.getConfiguration().connectionPoolConfiguration();
        return pool.validateOnBorrow() || !pool.idleValidationTimeout().isZero()
                || dataSource.getConfiguration().dataSourceImplementation() == DataSourceImplementation.AGROAL_POOLLESS;
    }

    /** The user needs the database until {@link #detach}. */
    public void attach(Object user) {
        users.add(user);
    }

    /** The last user to leave ends the threads and the listening connection. */
    public void detach(Object user) {
        if (users.remove(user) && users.isEmpty()) {
            closed = true;
            if (listener != null) {
                listener.close();
            }
            workers.close();
            if (renewalConnection != null) {
                renewalConnection.close();
            }
            stepLimit.close();
        }
    }

    public boolean closed() {
        return closed;
    }

    /** Run on pooled connections. */
    public Steps steps() {
        return steps;
    }

    /** Run what must not wait for the pool, such as lease renewals; only on the renewal thread. */
    public Steps renewing() {
        return renewing;
    }

    public Workers workers() {
        return workers;
    }

    /** Opens connections outside the pool; null where only the pool does. */
    public @Nullable BoundedConnections outside() {
        return outside;
    }

    /** Bounds work on connections that are not a step's. */
    public StepLimit stepLimit() {
        return stepLimit;
    }

    public CallerTurns callerTurns() {
        return callerTurns;
    }

    public DatabaseClock clock() {
        return clock;
    }

    public JpaLockOptions options() {
        return options;
    }

    public ErrorMessages errors() {
        return errors;
    }

    public LockDialect dialect() {
        return dialect;
    }

    /** Null where the application does not have that driver. */
    public @Nullable PostgresDriver postgres() {
        return postgres;
    }

    /** Null where no grace applies: locks are granted at once, whatever has happened. */
    public @Nullable Marker marker() {
        return marker;
    }

    public Statements statements() {
        return statements;
    }

    public @Nullable QuickSteps quickSteps() {
        return quickSteps;
    }

    public Subscribers subscribers() {
        return subscribers;
    }

    public Notifier notifier() {
        return notifier;
    }

    /** Null where the database cannot notify, the driver cannot tell, or this JVM is not to listen. */
    public @Nullable NotificationListener listener() {
        return listener;
    }

    public DataSource dataSource() {
        return dataSource;
    }

    public String lockTable() {
        return lockTable;
    }

    public String claimTable() {
        return claimTable;
    }
}
