package io.quarkiverse.lock.jpa;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.jpa.claim.ClaimUni;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.claim.PendingWithdrawals;
import io.quarkiverse.lock.jpa.claim.UncontendedAcquire;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.operation.DelayedRelease;
import io.quarkiverse.lock.jpa.operation.ForcedRelease;
import io.quarkiverse.lock.jpa.operation.GrantRelease;
import io.quarkiverse.lock.jpa.operation.Inspection;
import io.quarkiverse.lock.jpa.operation.LeaseRenewal;
import io.quarkiverse.lock.jpa.operation.RequestedRelease;
import io.quarkiverse.lock.jpa.table.Ids;
import io.quarkiverse.lock.jpa.table.Purge;
import io.quarkiverse.lock.jpa.table.RecentIds;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;

/**
 * Locks in a relational database: PostgreSQL, MySQL, MariaDB, H2, and by standard SQL Oracle, SQL Server and Db2.
 *
 * <ol>
 * <li>One row per name holds the last fence, the holder's token and the end of its lease, all by the database's clock; a second
 * table has a row for each claim that waits.</li>
 * <li>A claim first tries one conditional UPDATE, in a transaction of its own: it takes a name that nobody holds or waits for,
 * under the fence {@code max(last + 1, now in µs)}. So do renewal and release, each on the condition that the row still carries
 * the claim's token. They are on threads of their own, on PostgreSQL also on that of a
 * caller who has no transaction; never on a connection of the caller's transaction.</li>
 * <li>Who is not first locks the row in a short transaction and is granted the name, or gets a
 * place in the queue, by ticket. So does whoever wants it SHARED or with a limit, always: several hold it as rows of the
 * second table, and the name's row has the time until which the last of them does. While the queue lives, or they do, the
 * UPDATE above finds nobody's name free: nobody overtakes.</li>
 * <li>A waiting claim looks at the name with a plain SELECT now and then, and takes the row when it is the first and the name
 * is
 * free. It refreshes its place every second, and is given up for dead after five. No connection is held in between. On
 * PostgreSQL a release that finds somebody waiting sends a NOTIFY to the first, in a statement of its own.</li>
 * <li>A request for the release is noted with each grant, by its fence; a renewal finds it there, and on PostgreSQL a NOTIFY
 * tells
 * the holder's JVM if it listens.</li>
 * <li>A step whose reply was lost is done again under the same token: all of them may be. What a lost request may still do
 * after
 * its claim has ended is bounded by the database's time it carries, and undone after that.</li>
 * <li>Rows are never deleted on release, which would make inserts of the same name collide, but when they were idle for long;
 * the
 * clock keeps the fences rising.</li>
 * </ol>
 *
 * What it cannot do: a database that loses commits (a failover to a replica that lags behind, several primaries, fsync off)
 * grants again what is still held; the former holder finds out when it renews.
 *
 * <p>
 * Sources: ShedLock's JDBC provider (a row per name, the database's time), Spring Integration's {@code JdbcLockRegistry} (a
 * client id, which is not enough: a token per claim is), PostgreSQL's documentation of LISTEN/NOTIFY and of
 * {@code clock_timestamp()}.
 */
public final class JpaLockBackend implements LockBackend {

    private final LockDatabase database;
    private final String namespace;
    private final RecentIds ids;
    private final String owner;
    private final ClaimRegistry known = new ClaimRegistry(this);
    private final PendingWithdrawals undoings = new PendingWithdrawals();
    private final UncontendedAcquire firstTry;
    private final Purge purge;

    private volatile boolean closed;
    private @Nullable BackendListener listener;
    private @Nullable LockTime time;

    /**
     * @param database shared by the backends of a JVM
     * @param namespace prefixes the names
     * @param owner describes this JVM to people
     */
    public JpaLockBackend(LockDatabase database, String namespace, String owner) {
        this.database = database;
        this.namespace = namespace;
        ids = new RecentIds(namespace);
        this.owner = Ids.readable(owner);
        this.firstTry = new UncontendedAcquire(database);
        this.purge = new Purge(this);
    }

    @Override
    public String name() {
        return "jpa";
    }

    @Override
    public void start(BackendListener toTell, LockTime lockTime) {
        listener = toTell;
        time = lockTime;
        database.attach(known);
        purge.start();
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        return closed ? Uni.createFrom().failure(() -> explain().closed(claim.name())) : new ClaimUni(this, claim);
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        var ours = new ArrayList<JpaGrant>(grants.size());
        for (Grant grant : grants) {
            ours.add((JpaGrant) grant);
        }
        var unknown = new Renewal(List.of(), List.of(), ours);
        return closed ? Uni.createFrom().item(unknown) : new LeaseRenewal(this, ours).onFailure().recoverWithItem(unknown);
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return open(grant.name(), new GrantRelease(this, (JpaGrant) grant));
    }

    @Override
    public Uni<Void> releaseAfter(Grant grant, long nanos) {
        return open(grant.name(), new DelayedRelease(this, (JpaGrant) grant, nanos));
    }

    @Override
    public void contended(Grant grant) {
        database.contended();
    }

    @Override
    public boolean tellsOfWaiters() {
        return database.wakes();
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return open(name, new Inspection(this, name));
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return open(name, new ForcedRelease(this, name));
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return open(name, new RequestedRelease(this, name));
    }

    private <T> Uni<T> open(String name, Uni<T> operation) {
        return closed ? Uni.createFrom().failure(() -> explain().closed(name)) : operation;
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.REQUEST_RELEASE, Feature.ASYNC, Feature.LEASE, Feature.SHARED, Feature.LIMIT,
                Feature.HOLD_AT_LEAST, Feature.AFTER_LOSS_DELAY);
    }

    @Override
    public Duration operationTimeout() {
        return database.options().operationTimeout();
    }

    /** Waits for claims that are being withdrawn, at most the operation timeout; on an event loop it does not wait. */
    @Override
    public void close() {
        if (closed || listener == null) {
            return;
        }
        if (!io.vertx.core.Context.isOnEventLoopThread()) {
            undoings.await(operationTimeout());
        }
        closed = true;
        purge.stop();
        database.detach(known);
    }

    @Override
    public String toString() {
        return "jpa:" + namespace;
    }

    public String id(String name) {
        return ids.of(name);
    }

    public String readable(String name) {
        return Ids.readable(namespace + ":" + name);
    }

    public static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos) + 1;
    }

    public LockDatabase database() {
        return database;
    }

    public ErrorMessages explain() {
        return database.explain();
    }

    public UncontendedAcquire firstTry() {
        return firstTry;
    }

    public PendingWithdrawals undoings() {
        return undoings;
    }

    public ClaimRegistry known() {
        return known;
    }

    public String owner() {
        return owner;
    }

    public boolean closed() {
        return closed;
    }

    public LockTime time() {
        if (time == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return time;
    }

    public BackendListener listener() {
        if (listener == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return listener;
    }
}
