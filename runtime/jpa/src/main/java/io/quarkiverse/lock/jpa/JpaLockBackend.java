package io.quarkiverse.lock.jpa;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.jpa.claim.ClaimRemoval;
import io.quarkiverse.lock.jpa.claim.ClaimSteps;
import io.quarkiverse.lock.jpa.claim.ContendedAcquire;
import io.quarkiverse.lock.jpa.claim.JoinedLooks;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.claim.PendingClaim;
import io.quarkiverse.lock.jpa.claim.PendingWithdrawals;
import io.quarkiverse.lock.jpa.claim.UncontendedAcquire;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.grace.Marker;
import io.quarkiverse.lock.jpa.notify.NotificationListener;
import io.quarkiverse.lock.jpa.operation.DelayedRelease;
import io.quarkiverse.lock.jpa.operation.Downgrade;
import io.quarkiverse.lock.jpa.operation.ForcedRelease;
import io.quarkiverse.lock.jpa.operation.GrantReleases;
import io.quarkiverse.lock.jpa.operation.IdleShortening;
import io.quarkiverse.lock.jpa.operation.Inspection;
import io.quarkiverse.lock.jpa.operation.LeaseRenewal;
import io.quarkiverse.lock.jpa.operation.Listing;
import io.quarkiverse.lock.jpa.operation.OperationRunner;
import io.quarkiverse.lock.jpa.operation.ReadNotes;
import io.quarkiverse.lock.jpa.operation.Reclaim;
import io.quarkiverse.lock.jpa.operation.RequestedRelease;
import io.quarkiverse.lock.jpa.operation.WrittenNote;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.NamePages;
import io.quarkiverse.lock.jpa.table.PlacesInLine;
import io.quarkiverse.lock.jpa.table.Purge;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.spi.WaitNotes;
import io.quarkiverse.lock.spi.support.ClaimProgress;
import io.quarkiverse.lock.spi.support.ListedNames;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Locks in a relational database: PostgreSQL, MySQL, MariaDB, H2. Oracle, SQL Server and Db2 use standard SQL and are
 * experimental: nothing was ever run on one.
 *
 * <ol>
 * <li>Each name has one row with the last fence, the holder's token and the end of its lease, all by the database's clock. A
 * second table has a row for each waiting claim.</li>
 * <li>A claim first tries one conditional UPDATE in its own transaction. It takes a name that nobody holds or waits for, under
 * the fence {@code max(last + 1, now in µs)}. Renewal and release are such UPDATEs too; their condition is that the row still
 * has the claim's token. They run on dedicated threads, on PostgreSQL also on the thread of a caller without a transaction;
 * never on a connection of the caller's transaction.</li>
 * <li>A claim that does not get its name that way locks the row in a short transaction. It is granted the name or gets a place
 * in the queue, by ticket. A claim for SHARED or with a limit always takes this path: its holders are rows of the second table,
 * and the name's row has the time at which the last of them ends. While the queue or these holders live, the UPDATE above never
 * finds the name free: nobody overtakes.</li>
 * <li>A waiting claim polls the name with a plain SELECT. It takes the row when it is first in line and the name is free. It
 * refreshes its place, and is presumed dead five or six seconds after the last refresh. It holds no connection in between. On
 * PostgreSQL, a release that finds waiters sends a NOTIFY to the first, in a separate statement.</li>
 * <li>A downgrade moves the grant, in a short transaction with the row locked, from the name's row to one of the second table,
 * and notifies the first waiter.</li>
 * <li>A release request is noted with each grant, by its fence. A renewal finds it there. On PostgreSQL a NOTIFY also reaches
 * the holder's JVM if it listens.</li>
 * <li>A listing reads a few rows at a time, held or not, in key order, and then the claims of those names.</li>
 * <li>A step whose reply was lost is repeated under the same token, which is harmless. A lost request may still take effect
 * after its claim has ended. Each request carries a database time that bounds this, and any effect is undone after that
 * time.</li>
 * <li>A release never deletes the row, because inserts of the same name would then collide; a row is deleted after a long idle
 * time. The clock keeps the fences rising.</li>
 * </ol>
 *
 * <p>
 * With a grace (PostgreSQL only), one row says in which life of the server the rows were written. A statement that runs in
 * another life grants nothing for as long as the longest lease, and renewals put back what the rows have lost.
 *
 * <p>
 * Without a grace, a database that loses commits (failover to a lagging replica, several primaries, fsync off) grants a name
 * that is still held; the former holder finds out when it renews.
 *
 * <p>
 * Sources: ShedLock's JDBC provider (a row per name, the database's time), Spring Integration's {@code JdbcLockRegistry} (a
 * client id, which is not enough: a token per claim is), PostgreSQL's documentation of LISTEN/NOTIFY and of
 * {@code clock_timestamp()}.
 */
public final class JpaLockBackend implements LockBackend {

    public static final Set<Feature> FEATURES = Set.of(Feature.ASYNC, Feature.LEASE, Feature.SHARED, Feature.LIMIT,
            Feature.HOLD_AT_LEAST, Feature.AFTER_LOSS_DELAY, Feature.REQUEST_RELEASE, Feature.DOWNGRADE, Feature.LIST);

    private final LockDatabase database;
    private final ErrorMessages errors;
    private final @Nullable NotificationListener notifications;
    private final String namespace;
    private final LockNames names;
    private final ListedNames listed = new ListedNames(JpaLockBackend.class);
    private final String owner;
    private final WaitNotes notes = new Notes();
    private volatile boolean closed;
    private @Nullable Parts parts;

    /** The parts of a started backend. */
    private record Parts(LockTime time, UncontendedAcquire uncontended, JoinedLooks looks, ClaimRegistry registry,
            PendingWithdrawals withdrawals, OperationRunner runner, GrantReleases releases, BackendListener listener,
            Purge purge, @Nullable Reclaim reclaim) {
    }

    /**
     * @param database shared by the backends of a JVM
     * @param namespace prefixes the names
     * @param owner describes this JVM to people
     */
    public JpaLockBackend(LockDatabase database, String namespace, String owner) {
        this.database = database;
        this.errors = database.errors();
        this.notifications = database.listener();
        this.namespace = namespace;
        names = new LockNames(namespace);
        this.owner = LockNames.printable(owner);
    }

    @Override
    public String name() {
        return "jpa";
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        Steps steps = database.steps();
        Statements statements = database.statements();
        var removal = new ClaimRemoval(steps, statements, database.notifier());
        var withdrawals = new PendingWithdrawals(database.workers(), removal, time);
        var registry = new ClaimRegistry(listener, time, withdrawals);
        var uncontended = new UncontendedAcquire(steps, database.dialect(), statements, database.clock(), database.marker(),
                database.options());
        var looks = new JoinedLooks(database.workers(), steps, new PlacesInLine(statements, ContendedAcquire.ALIVE_MICROS),
                time);
        var runner = new OperationRunner(steps, statements, database.workers(), database.callerTurns(), withdrawals, time,
                errors);
        var purge = new Purge(steps, statements, database.workers(), database.options().purgeAfter(), () -> time);
        Marker marker = database.marker();
        var reclaim = marker == null ? null : new Reclaim(marker, statements, names, owner, time);
        var releases = new GrantReleases(runner, database.dialect(), database.notifier(), removal, registry, reclaim);
        parts = new Parts(time, uncontended, looks, registry, withdrawals, runner, releases, listener, purge, reclaim);
        database.attach(this);
        database.subscribers().add(registry);
        purge.start();
    }

    private Parts parts() {
        if (parts == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return parts;
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        if (closed) {
            return Uni.createFrom().failure(() -> errors.closed(claim.name()));
        }
        LockBackendException tooLong = errors.tooLong(claim.name(), claim.leaseNanos());
        return tooLong != null ? Uni.createFrom().failure(tooLong) : answer(claim);
    }

    /** Not an emitter: it drops an item that it emits while the subscriber cancels, so a grant would never be released. */
    private Uni<Answer> answer(Claim claim) {
        return new AbstractUni<>() {

            @Override
            public void subscribe(UniSubscriber<? super Answer> subscriber) {
                PendingClaim pending = pending(claim, subscriber);
                subscriber.onSubscribe(pending);
                pending.start();
            }
        };
    }

    private PendingClaim pending(Claim claim, UniSubscriber<? super Answer> subscriber) {
        Parts use = parts();
        String id = names.id(claim.name());
        var attempts = new JpaGrant.Attempts();
        var claimSteps = new ClaimSteps(claim, id, attempts, database.steps(), database.statements(), use.uncontended,
                database.quickSteps(), notifications, database.notifier(), database.clock(), use.time, names, owner, errors);
        return new PendingClaim(claim, id, subscriber, attempts, claimSteps, new ClaimProgress(use.time), use.registry,
                use.withdrawals, use.looks, database.workers(), database.callerTurns(), errors);
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        var ours = new ArrayList<JpaGrant>(grants.size());
        for (Grant grant : grants) {
            ours.add((JpaGrant) grant);
        }
        return orUnknown(ours, () -> renewal(ours, database.renewing()));
    }

    private LeaseRenewal renewal(List<JpaGrant> grants, Steps steps) {
        Parts use = parts();
        return new LeaseRenewal(use.runner, grants, steps, database.statements(), database.clock(), use.registry,
                use.listener, use.reclaim);
    }

    @Override
    public Uni<Renewal> shorten(Grant grant) {
        ((JpaGrant) grant).shortening = true;
        return renew(List.of(grant));
    }

    @Override
    public Uni<Renewal> shortenIdle(Grant grant) {
        var ours = (JpaGrant) grant;
        ours.shortening = true;
        return orUnknown(List.of(ours),
                () -> new IdleShortening(parts().runner, ours, renewal(List.of(ours), database.steps())));
    }

    /** A renewal without an answer counts as unknown. */
    private Uni<Renewal> orUnknown(List<JpaGrant> grants, Supplier<Uni<Renewal>> operation) {
        var unknown = new Renewal(List.of(), List.of(), grants);
        return closed ? Uni.createFrom().item(unknown) : operation.get().onFailure().recoverWithItem(unknown);
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return open(grant.name(), parts().releases.release((JpaGrant) grant));
    }

    @Override
    public Uni<Void> releaseAfter(Grant grant, long nanos) {
        return open(grant.name(),
                new DelayedRelease(parts().runner, (JpaGrant) grant, nanos, parts().registry, parts().reclaim));
    }

    @Override
    public Uni<Boolean> downgrade(Grant grant) {
        return open(grant.name(), new Downgrade(parts().runner, (JpaGrant) grant,
                database.notifier(), notifications, parts().registry, parts().reclaim));
    }

    @Override
    public void contended(Grant grant) {
        if (notifications != null) {
            notifications.start();
        }
    }

    @Override
    public boolean tellsOfWaiters() {
        return notifications != null && notifications.proven();
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return open(name, new Inspection(parts().runner, name, names.id(name)));
    }

    @Override
    public Uni<LockQuery.Page> list(LockQuery query) {
        return open(ListedNames.of(query),
                new Listing(parts().runner, query, new NamePages(database.statements(), names), listed));
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return open(name, Uni.createFrom().deferred(() -> new ForcedRelease(parts().runner, name, names.id(name),
                database.notifier(), database.subscribers(), parts().reclaim)));
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return open(name,
                new RequestedRelease(parts().runner, name, names.id(name), database.notifier(), database.subscribers()));
    }

    @Override
    public WaitNotes waitNotes() {
        return notes;
    }

    /** Kept in the rows of the waiting claims. */
    private final class Notes implements WaitNotes {

        @Override
        public Uni<Boolean> note(Claim waiting, String note) {
            return open(waiting.name(), new WrittenNote(parts().runner, waiting, names.id(waiting.name()), note));
        }

        @Override
        public Uni<Line> line(String name) {
            return open(name, new ReadNotes(parts().runner, name, names.id(name)));
        }
    }

    private <T> Uni<T> open(String name, Uni<T> operation) {
        return closed ? Uni.createFrom().failure(() -> errors.closed(name)) : operation;
    }

    @Override
    public Set<Feature> features() {
        return FEATURES;
    }

    @Override
    public @Nullable Duration longestLease() {
        return database.options().graceLease();
    }

    @Override
    public Duration operationTimeout() {
        return database.options().operationTimeout();
    }

    @Override
    public void beforeCheckpoint() {
        awaitWithdrawals();
    }

    /** Waits for claims that are being withdrawn, at most for the operation timeout. Does not wait on an event loop. */
    @Override
    public void close() {
        Parts use = parts;
        if (closed || use == null) {
            return;
        }
        awaitWithdrawals();
        closed = true;
        use.withdrawals.close();
        use.purge.stop();
        database.subscribers().remove(use.registry);
        database.detach(this);
    }

    /** On an event loop it does not wait. */
    private void awaitWithdrawals() {
        if (!io.vertx.core.Context.isOnEventLoopThread()) {
            parts().withdrawals.await(operationTimeout());
        }
    }

    @Override
    public String toString() {
        return "jpa:" + namespace;
    }

    LockDatabase database() {
        return database;
    }

    /** Only for a started backend. */
    PendingWithdrawals withdrawals() {
        return parts().withdrawals;
    }
}
