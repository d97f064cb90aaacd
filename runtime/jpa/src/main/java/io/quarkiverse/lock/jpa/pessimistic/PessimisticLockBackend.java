package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.NamePages;
import io.quarkiverse.lock.jpa.table.Purge;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.LockTransactions;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.unchecked.Unchecked;

/**
 * Locks in a relational database that are part of the caller's transaction.
 *
 * <ol>
 * <li>A name has one row. If this JVM has not seen the row yet, it looks for it and inserts it on a separate connection.</li>
 * <li>The caller's transaction locks the row for writing ({@code PESSIMISTIC_WRITE}) on its own connection, and waits for it
 * within a timeout of the database. After a timeout, the transaction is as it was before.</li>
 * <li>In the same statement, or directly after it, it writes the row: the fence is {@code max(row's fence + 1, now in µs)},
 * with the time read after the row was locked. So a database that lets two transactions have the row, as a cluster may, lets
 * only one of them commit. A transaction that does not see what earlier holders did is refused the row.</li>
 * <li>If the lock comes first in the transaction, nothing is lost by restarting the transaction: instead of being refused, it
 * locks the row again within its wait. Some databases do not allow that within XA.</li>
 * <li>Commit, rollback and the death of the connection free it, at once and without a lease.</li>
 * <li>While a lock is held for long, its connection is looked up among the database's sessions. If it is gone, the holder
 * learns that it has lost the lock before its next statement shows it.</li>
 * </ol>
 *
 * Its cost: a pooled connection for each holder, and for each JVM that waits for a name. Its limits: no lock can outlive a
 * transaction or a thread, or be taken away by force.
 */
public final class PessimisticLockBackend implements TransactionalBackend {

    private static final Logger LOG = Logger.getLogger(PessimisticLockBackend.class);
    private static final String ALTERNATIVE = "For locks without a transaction, set quarkus.lock.jpa.strategy=lease";

    /** In milliseconds, which drivers count in an {@code int}. */
    private static final long LONGEST_WAIT = TimeUnit.DAYS.toMillis(20);

    private final LockDatabase database;
    private final JtaLockTransactions transactions;
    private final String namespace;
    private final LockNames names;
    private final String owner;
    private final RowLock rowLock;
    private final RowCreation rows;
    private final SessionCheck sessionCheck;
    private final PessimisticFailures failures;
    private final Purge purge;
    private final PurgedRow purgedRow;
    /** This JVM's locks, by name. */
    private final Map<String, TransactionGrant> held = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private @Nullable LockTime time;

    /**
     * @param database whose data source gives a thread in a transaction that transaction's connection
     * @param sessions knows {@link LockRow}
     * @param namespace prefixes the names
     * @param owner describes this JVM to people
     */
    public PessimisticLockBackend(LockDatabase database, SessionFactory sessions, JtaLockTransactions transactions,
            String namespace, String owner) {
        this.database = database;
        this.transactions = transactions;
        this.namespace = namespace;
        names = new LockNames(namespace);
        this.owner = owner;
        rowLock = RowLocks.of(sessions.unwrap(SessionFactoryImplementor.class).getJdbcServices().getDialect(),
                database.dialect(), sessions, database.lockTable(), database.postgres());
        rows = new RowCreation(database.steps(), database.workers(), database.statements(), database.lockTable(),
                database.options().operationTimeout(), database.errors());
        sessionCheck = new SessionCheck(database.outside(), database.dataSource(), rowLock,
                database.options().operationTimeout());
        failures = new PessimisticFailures(transactions, rowLock, database.errors(), database.lockTable(),
                database.options().dataSource());
        purge = new Purge(database.steps(), database.statements(), database.workers(), database.options().purgeAfter(),
                this::time);
        purgedRow = new PurgedRow(rowLock, database.statements(), database.options().purgeAfter());
    }

    @Override
    public String name() {
        return "jpa";
    }

    @Override
    public void start(BackendListener listener, LockTime lockTime) {
        time = lockTime;
        database.attach(this);
        purge.start();
    }

    @Override
    public LockTransactions transactions() {
        return transactions;
    }

    // --- the turn in this JVM: the engine ensures that there is one at a time

    @Override
    public Grant acquireNow(Claim claim) {
        return new TransactionGrant(claim, names.id(claim.name()), time().nanoTime());
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        return Uni.createFrom().item(() -> acquireNow(claim));
    }

    @Override
    public void releaseNow(Grant grant) {
        held.remove(grant.name(), grant);
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return Uni.createFrom().voidItem().onItem().invoke(() -> releaseNow(grant));
    }

    // --- the lock

    @Override
    public long lock(Grant turn, long waitNanos) {
        var grant = (TransactionGrant) turn;
        String name = grant.name();
        if (closed) {
            throw database.errors().closed(name);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new LockInterruptedException(name);
        }
        long start = System.nanoTime();
        long answerDue = start
                + TimeUnit.MILLISECONDS.toNanos(Math.min(LONGEST_WAIT, rowLock.longestWait(millis(waitNanos))));
        grant.asking(answerDue);
        try {
            rows.ensure(name, grant.id(), () -> names.readable(name));
            RowLock.Locked locked = lock(grant, start, waitNanos, answerDue + operationTimeout().toNanos());
            if (locked == null) {
                return BUSY;
            }
            if (locked.format() != LockRow.FORMAT) {
                transactions.undone(); // including what was written
                throw database.errors().format(name, locked.format());
            }
            grant.locked(locked, transactions.current());
            held.put(name, grant);
            return grant.lockFence();
        } catch (SQLException | RuntimeException e) {
            return failures.busyOrFailed(name, e);
        } finally {
            grant.answered();
        }
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + (nanos % 1_000_000 == 0 ? 0 : 1);
    }

    /** Null if the wait ended before the row could be locked again. */
    private RowLock.@Nullable Locked lock(TransactionGrant grant, long start, long waitNanos, long deadline)
            throws SQLException {
        boolean first = !transactions.mayHoldRows();
        try (Connection connection = database.dataSource().getConnection();
                WaitInterrupt running = new WaitInterrupt(database.workers(), time())) {
            if (connection.getAutoCommit()) {
                throw failures.notEnlisted(grant.name());
            }
            boolean beginsHere = rowLock.untouched(connection, first);
            return database.stepLimit().within(deadline, connection,
                    step -> lock(connection, grant, start, waitNanos, beginsHere, running));
        }
    }

    /** @param first whether the transaction has done nothing yet */
    private RowLock.@Nullable Locked lock(Connection connection, TransactionGrant grant, long start, long waitNanos,
            boolean first, WaitInterrupt running) throws SQLException {
        boolean missed = false;
        int looks = 0;
        while (true) {
            long left = waitNanos == 0 ? 0 : Math.max(1, waitNanos - (System.nanoTime() - start));
            try {
                RowLock.Locked locked = rowLock.lock(connection, grant.id(), millis(left), running);
                if (locked != null) {
                    return locked;
                }
                if (missed) {
                    throw failures.noRow(grant.name());
                }
                missed = true;
                insertAgain(connection, grant, first);
            } catch (SQLException | RuntimeException e) {
                if (waitNanos == 0 && rowLock.why(e) == RowLockFailure.BUSY
                        && purgedRow.mayBe(connection, grant.id(), first, looks)) {
                    looks++;
                    continue;
                }
                if (!first || !rowLock.why(e).canBeginAnew()) {
                    throw e;
                }
                if (!Restart.of(connection, e)) {
                    throw failures.notBegunAnew(grant.name(), e);
                }
                if (waitNanos - (System.nanoTime() - start) <= 0) {
                    return null; // somebody has just held it
                }
            }
        }
    }

    /** The row was purged, or deleted by somebody else. */
    private void insertAgain(Connection connection, TransactionGrant grant, boolean first) throws SQLException {
        // In some databases, the failed search keeps others from inserting the row
        boolean anybodyCan = first && Restart.of(connection, null);
        if (anybodyCan || !rowLock.insert(connection, grant.id(), names.readable(grant.name()))) {
            rows.forget(grant.id());
            rows.ensure(grant.name(), grant.id(), () -> names.readable(grant.name()));
        }
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        var ours = new ArrayList<TransactionGrant>(grants.size());
        for (Grant grant : grants) {
            ours.add((TransactionGrant) grant);
        }
        return Uni.createFrom().item(Unchecked.supplier(() -> sessionCheck.check(ours))).runSubscriptionOn(task -> {
            if (!database.workers().renew(task)) {
                task.run();
            }
        }).onItem().invoke(checked -> checked.lost().forEach(this::releaseNow)).onFailure().recoverWithItem(e -> {
            // Also for an error: there may be no thread available
            LOG.debugf(e, "Could not find out whether %d locks are still there", ours.size());
            return new Renewal(List.of(), List.of(), ours);
        });
    }

    @Override
    public long silentFor(Grant grant) {
        return ((TransactionGrant) grant).silentFor();
    }

    @Override
    public boolean hasLock(Grant turn) {
        var grant = (TransactionGrant) turn;
        try (Connection connection = database.dataSource().getConnection()) {
            return switch (rowLock.known(connection, grant.row())) {
                case HELD -> true;
                case UNDONE -> false;
                case TO_ASK -> database.stepLimit().within(System.nanoTime() + operationTimeout().toNanos(), connection,
                        step -> rowLock.has(step.jdbc(), grant.id(), grant.row()));
            };
        } catch (SQLException | RuntimeException e) {
            if (PessimisticFailures.connectionLost(e)) {
                throw failures.goneWithItsConnection(grant.name(), e);
            }
            return failures.othersHaveIt(grant.name(), e);
        }
    }

    @Override
    public boolean isLoss(Throwable failure) {
        return PessimisticFailures.lostInCommit(failure);
    }

    @Override
    public String alternative() {
        return ALTERNATIVE;
    }

    // --- for operators

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        LockInfo here = here(name);
        return here != null ? Uni.createFrom().item(Optional.of(here))
                : new PessimisticInspection(name, names.id(name), rowLock, database.steps(), database.workers()::run,
                        database.errors());
    }

    /** Outside the pool: holders may have all of its connections for as long as they run, in a database that is well. */
    @Override
    public Uni<Void> ready(String name) {
        return new PessimisticInspection(name, names.id(name), rowLock, database.renewing(), database.workers()::renew,
                database.errors()).replaceWithVoid();
    }

    /** What this JVM itself has locked. */
    private @Nullable LockInfo here(String name) {
        TransactionGrant grant = held.get(name);
        return grant == null ? null
                : PessimisticInspection.info(name, owner, Grant.firstToken(grant.lockFence()),
                        grant.lockedFor());
    }

    @Override
    public Uni<LockQuery.Page> list(LockQuery query) {
        return new PessimisticListing(query, new NamePages(database.statements(), names), this::here, rowLock,
                database.steps(), database.workers(), database.errors());
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return Uni.createFrom().failure(() -> new IllegalStateException("Lock '" + PrintableName.of(name)
                + "' lives in a transaction of the "
                + "database, which nobody can take it from: end the session there that holds it (pg_terminate_backend, KILL). "
                + ALTERNATIVE));
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return Uni.createFrom().failure(() -> new IllegalStateException("Lock '" + PrintableName.of(name)
                + "' lives in a transaction of the database, whose holder cannot be asked to finish. " + ALTERNATIVE));
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.LIST);
    }

    @Override
    public Duration operationTimeout() {
        return database.options().operationTimeout();
    }

    @Override
    public void close() {
        if (!closed && time != null) {
            closed = true;
            purge.stop();
            database.detach(this);
        }
    }

    private LockTime time() {
        if (time == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return time;
    }

    @Override
    public String toString() {
        return "jpa(pessimistic):" + namespace;
    }
}
