package io.quarkiverse.lock.jpa;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;

import javax.sql.DataSource;

import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.AbstractEntityPersister;
import org.jspecify.annotations.Nullable;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalDataSourceConfiguration.DataSourceImplementation;
import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.jpa.claim.QuickSteps;
import io.quarkiverse.lock.jpa.database.CallerTurns;
import io.quarkiverse.lock.jpa.database.ConnectionSource;
import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.NetworkTimeout;
import io.quarkiverse.lock.jpa.database.RenewalConnection;
import io.quarkiverse.lock.jpa.database.StatementWatchdog;
import io.quarkiverse.lock.jpa.database.StepLimit;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.notify.NotificationListener;
import io.quarkiverse.lock.jpa.pessimistic.PessimisticLockBackend;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.Statements;

/**
 * The database that has the locks, shared by the backends of a JVM: its connections, statements, worker threads and clock.
 * Every step takes a pooled connection for as long as it lasts; nothing of the pool is held while a lock is held or waited for,
 * nor needed to keep it.
 */
public final class LockDatabase {

    /** One step of a lock, on one connection. May be run again when it fails. */
    @FunctionalInterface
    public interface Step<T> {

        T run(LockConnection connection) throws SQLException;
    }

    /** Makes connections that are not of the pool: to listen, and to renew leases. */
    @FunctionalInterface
    public interface Listening {

        Connection open() throws SQLException;
    }

    public static final Duration LONGEST_DELAY = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final JpaLockOptions options;
    private final LockDialect dialect;
    private final String lockTable;
    private final String claimTable;
    private final Statements statements;
    private final @Nullable QuickSteps quickSteps;
    private final ErrorMessages explain;
    private final Workers workers;
    private final CallerTurns callerTurns;
    private final StepLimit stepLimit;
    private final Steps steps;
    private final Steps renewing;
    private final @Nullable RenewalConnection renewalConnection;
    private final DatabaseClock clock = new DatabaseClock();
    private final List<ClaimRegistry> users = new CopyOnWriteArrayList<>();
    private final List<Object> otherUsers = new CopyOnWriteArrayList<>();
    private final @Nullable NotificationListener wakeups;
    private volatile boolean closed;

    private LockDatabase(DataSource dataSource, SessionFactory sessions, LockDialect dialect, @Nullable Listening listening,
            JpaLockOptions options) {
        this.dataSource = dataSource;
        this.options = options;
        this.dialect = dialect;
        lockTable = table(sessions, LockRow.class);
        claimTable = table(sessions, LockClaimRow.class);
        statements = new Statements(dialect, lockTable, claimTable);
        quickSteps = dialect.quickSteps(lockTable, claimTable);
        explain = new ErrorMessages(options, lockTable + " and " + claimTable);
        var connections = new Semaphore(options.threads(), true);
        workers = new Workers(options.threads(), connections);
        callerTurns = new CallerTurns(sessions, dialect.bearsInterruption() && givesUpInTime(dataSource, options), connections);
        stepLimit = dialect.abortsAtOnce() ? new StatementWatchdog() : new NetworkTimeout();
        ConnectionSource pool = ConnectionSource.of(dataSource);
        steps = new Steps(pool, dialect, stepLimit, callerTurns, options.threads());
        renewalConnection = listening == null ? null : new RenewalConnection(listening, pool);
        renewing = renewalConnection == null ? steps
                : new Steps(renewalConnection, dialect, stepLimit, callerTurns, options.threads());
        wakeups = listening != null && options.listen() && dialect.notifies() ? new NotificationListener(this, listening)
                : null;
    }

    /**
     * No I/O happens here.
     *
     * @param dataSource gives connections that are not part of any transaction, when asked on a thread that has none
     * @param sessions knows what the tables of {@link LockRow} and {@link LockClaimRow} are called
     * @param listening for connections outside the pool: one on which leases are renewed, and one to listen for releases, if
     *        the database can tell of them; null to renew on connections of the pool, and to poll
     */
    public static LockDatabase of(DataSource dataSource, SessionFactory sessions, @Nullable Listening listening,
            JpaLockOptions options) {
        var hibernate = sessions.unwrap(SessionFactoryImplementor.class).getJdbcServices().getDialect();
        return of(dataSource, sessions, LockDialect.of(hibernate, options.operationTimeout()), listening, options);
    }

    public static LockDatabase of(DataSource dataSource, SessionFactory sessions, LockDialect dialect,
            @Nullable Listening listening,
            JpaLockOptions options) {
        return new LockDatabase(dataSource, sessions, dialect, listening, options);
    }

    /** Nobody else ends a wait for one of the pool's connections. */
    private static boolean givesUpInTime(DataSource dataSource, JpaLockOptions options) {
        if (dataSource instanceof AgroalDataSource pool) {
            Duration patience = pool.getConfiguration().connectionPoolConfiguration().acquisitionTimeout();
            return !patience.isZero() && patience.compareTo(options.operationTimeout()) <= 0 && !asksFirst(pool);
        }
        return false;
    }

    /** Whether it may talk to the database before it gives one, on the thread that wants it. */
    private static boolean asksFirst(AgroalDataSource dataSource) {
        var pool = dataSource.getConfiguration().connectionPoolConfiguration();
        return pool.validateOnBorrow() || !pool.idleValidationTimeout().isZero()
                || dataSource.getConfiguration().dataSourceImplementation() == DataSourceImplementation.AGROAL_POOLLESS;
    }

    /** As it is called in this persistence unit: with its schema, and by its naming strategy. */
    private static String table(SessionFactory sessions, Class<?> entity) {
        return ((AbstractEntityPersister) sessions.unwrap(SessionFactoryImplementor.class).getMappingMetamodel()
                .getEntityDescriptor(entity)).getTableName();
    }

    /** Runs a step on a connection of the pool; see {@link Steps#call}. */
    public <T> T call(long deadline, Step<T> step) throws SQLException {
        return steps.call(deadline, step);
    }

    /** Runs a step as one short transaction on a connection of the pool; see {@link Steps#transaction}. */
    public <T> T transaction(long deadline, Step<T> step) throws SQLException {
        return steps.transaction(deadline, step);
    }

    /** Runs what renews leases. On the thread for that only. */
    public Steps renewing() {
        return renewing;
    }

    /** Locks a name's row until the transaction ends. Null if it has none. */
    @Nullable
    public LockRow lockRow(LockConnection connection, String id) throws SQLException {
        return connection.first(statements.lockRow, LockRow::read, id);
    }

    /** When an operation that starts now has to be over. */
    public long deadline() {
        return System.nanoTime() + options.operationTimeout().toNanos();
    }

    /** Somebody waits, or what this JVM holds could be handed on in it: what others want of it should be heard of. */
    public void contended() {
        if (wakeups != null && !closed) {
            wakeups.start();
        }
    }

    /** Whether releases are heard of, so that polling is only for the case that one is missed. */
    public boolean wakes() {
        return wakeups != null && wakeups.proven();
    }

    /** Whether others may listen: then what they wait for has to be told. */
    public boolean tells() {
        return dialect.notifies() && options.listen();
    }

    public void attach(ClaimRegistry user) {
        users.add(user);
    }

    /** The last one lets go of the threads and of the listening connection. */
    public void detach(ClaimRegistry user) {
        if (users.remove(user)) {
            closeIfUnused();
        }
    }

    /** As {@link #attach(ClaimRegistry)}, for one that nothing has to be told. */
    public void attach(PessimisticLockBackend user) {
        otherUsers.add(user);
    }

    public void detach(PessimisticLockBackend user) {
        if (otherUsers.remove(user)) {
            closeIfUnused();
        }
    }

    private void closeIfUnused() {
        if (users.isEmpty() && otherUsers.isEmpty()) {
            closed = true;
            if (wakeups != null) {
                wakeups.close();
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

    public List<ClaimRegistry> users() {
        return users;
    }

    public JpaLockOptions options() {
        return options;
    }

    public LockDialect dialect() {
        return dialect;
    }

    public Statements statements() {
        return statements;
    }

    @Nullable
    public QuickSteps quickSteps() {
        return quickSteps;
    }

    public ErrorMessages explain() {
        return explain;
    }

    public CallerTurns callerTurns() {
        return callerTurns;
    }

    public Workers workers() {
        return workers;
    }

    public DatabaseClock clock() {
        return clock;
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
