package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.utils.ZKPaths;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
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
 * Locks in ZooKeeper 3.5 or later.
 *
 * <ol>
 * <li>One session for the JVM, which Curator keeps. A claim is an ephemeral sequential node in the container node of its name,
 * named as Curator's recipes name theirs, so that those lock it out and are locked out by it. The node carries the claim's
 * token.</li>
 * <li>A claim creates its node and lists the container in one round trip ({@link ClaimNode}). A missing container, or one that
 * the servers have reaped meanwhile, is made and the node created again. First in line: granted, under the node's
 * {@code czxid} as the fence, since the numbers begin anew with each container. Nodes with the last number that there is are in
 * the order of their {@code czxid} ({@link CreationOrder}).</li>
 * <li>Not first: it watches the node before it, and that one only. When that goes it sends {@code sync} and lists again in one
 * round trip, and is granted on what it sees then, not on the message. One with a limit says so in the name of its node, which
 * is that of an exclusive one otherwise. It is in when nobody but such nodes is before it, and fewer than the smallest of their
 * limits and its own; while there are too many it watches the container, since any of them may make room.</li>
 * <li>A creation without a reply is looked for by its token when the connection is back; what is found counts only if it is of
 * the same session. A claim that is given up deletes its node, or looks for it and deletes it, until that is answered
 * ({@link PendingDeletes}). So does a release.</li>
 * <li>A grant is certain for two thirds of the negotiated session timeout, less half a tick, from when the request was sent
 * that
 * the leader has answered last: the creation, or a {@code sync} with a look at the own node, which is what a renewal does. A
 * shorter lease ends earlier here, and its node is deleted then ({@link HeldGrants}).</li>
 * <li>A lost connection makes grants suspect; they are valid until they would have to be renewed. Its return renews them at
 * once. The end of the session loses them, and who waits takes a new node in the next one.</li>
 * <li>A node that is held for longer than a moment is watched: somebody may delete it, by force, or ask for its release by
 * what is in it then, as Curator's {@code Revoker} does. When a second caller of the
 * JVM
 * wants the lock, the children are watched, to learn whether other JVMs wait too.</li>
 * </ol>
 *
 * What it cannot do: an ensemble that loses its data begins to count anew, so that fences fall.
 *
 * <p>
 * Sources: the ZooKeeper documentation, "ZooKeeper Recipes and Solutions", Locks (sequential nodes, watch on the predecessor,
 * nodes found again by a GUID) and "Programmer's Guide", sessions and consistency guarantees; Curator's {@code LockInternals}
 * and {@code InterProcessReadWriteLock} for names and order, and its tech notes 10 and 14 for why a holder must know before the
 * servers do; {@code LearnerHandler} and {@code SessionTrackerImpl} of ZooKeeper for when a session expires.
 */
public final class ZooKeeperLockBackend implements LockBackend {

    private final CuratorFramework curator;
    private final ZooKeeperLockOptions options;
    private final String owner;
    private final Runnable atEnd;

    private final NodePaths paths;
    private final NodeOrder line;
    private final ErrorMessages explain;
    private final HeldGrants grants = new HeldGrants(this);
    private final NodeWatches watches = new NodeWatches(grants);
    private final PendingDeletes leftovers = new PendingDeletes(this);
    private final SequenceCounterWatch counters = new SequenceCounterWatch();
    private final RequestTimeouts deadlines;
    private final SessionTracker link;
    private final SessionEvents doubts = new SessionEvents(this);

    private volatile CachedData data;
    private volatile boolean closed;
    private volatile @Nullable CountDownLatch nothingLeft;
    private @Nullable BackendListener listener;
    private @Nullable LockTime time;

    private record CachedData(long leaseNanos, byte[] bytes) {
    }

    /**
     * @param curator a started client, which stays the caller's to close, after this; one for all backends of a JVM
     * @param owner describes this JVM to people
     */
    public ZooKeeperLockBackend(CuratorFramework curator, ZooKeeperLockOptions options, String owner) {
        this(curator, options, owner, () -> {
        });
    }

    /**
     * @param atEnd closes the client, where nobody else needs it: runs when this backend is closed and the leases of what it
     *        still holds are over
     */
    public ZooKeeperLockBackend(CuratorFramework curator, ZooKeeperLockOptions options, String owner, Runnable atEnd) {
        this.curator = curator;
        this.options = options;
        this.owner = owner;
        this.atEnd = atEnd;
        String namespace = curator.getNamespace();
        this.paths = new NodePaths(ZKPaths.fixForNamespace(namespace.isEmpty() ? null : namespace, options.root()),
                options.nodes());
        this.line = new NodeOrder(options.nodes());
        this.explain = new ErrorMessages(options, paths.root());
        this.deadlines = new RequestTimeouts(this);
        this.link = new SessionTracker(curator, options, paths.root(), doubts);
        this.data = new CachedData(0, NodeData.of(owner, 0));
    }

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public void start(BackendListener toTell, LockTime lockTime) {
        listener = toTell;
        time = lockTime;
        link.attach();
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        return closed ? Uni.createFrom().failure(() -> explain.closed(claim.name())) : new PendingClaim(this, claim);
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        var ours = new ArrayList<ZooKeeperGrant>(grants.size());
        for (Grant each : grants) {
            ours.add((ZooKeeperGrant) each);
        }
        if (closed) {
            return Uni.createFrom().item(new Renewal(List.of(), List.of(), ours));
        }
        return new RenewalRequest(this, ours);
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return new ReleaseRequest(this, (ZooKeeperGrant) grant);
    }

    @Override
    public void contended(Grant grant) {
        grants.crowded((ZooKeeperGrant) grant);
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return closed ? Uni.createFrom().failure(() -> explain.closed(name))
                : Uni.createFrom().deferred(() -> new Inspection(this, name));
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return closed ? Uni.createFrom().failure(() -> explain.closed(name))
                : Uni.createFrom().deferred(() -> new ForcedRelease(this, name));
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return closed ? Uni.createFrom().failure(() -> explain.closed(name))
                : Uni.createFrom().deferred(() -> new RequestedRelease(this, name));
    }

    @Override
    public Set<Feature> features() {
        return options.nodes().features();
    }

    @Override
    public Duration operationTimeout() {
        return options.operationTimeout();
    }

    /**
     * Waits until what was given up is deleted, at most the operation timeout. What is still held keeps its lease: the session,
     * with which it would go, is not ended before.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        var latch = new CountDownLatch(1);
        nothingLeft = latch;
        if (listener != null && !leftovers.none()) {
            try {
                latch.await(operationTimeout().toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        closed = true;
        link.detach();
        long left = listener == null ? 0 : grants.lastEnd() - time().nanoTime();
        if (left <= 0) {
            atEnd.run();
        } else {
            endAfter(left);
        }
    }

    private void endAfter(long nanos) {
        var end = new Thread(() -> {
            try {
                TimeUnit.NANOSECONDS.sleep(nanos);
            } catch (InterruptedException e) {
                // then at once
            }
            atEnd.run();
        }, "quarkus-lock-zookeeper-end");
        end.setDaemon(true);
        end.start();
    }

    @Override
    public String toString() {
        return "zookeeper:" + paths.root();
    }

    // --- parts

    /** Something given up is settled. */
    void settled() {
        CountDownLatch waiting = nothingLeft;
        if (waiting != null && leftovers.none()) {
            waiting.countDown();
        }
    }

    /** Unless this is closed by then. */
    void later(long nanos, Runnable task) {
        if (!closed) {
            time().schedule(nanos, task);
        }
    }

    /** What a node has in it; the same bytes for all with the same lease. */
    byte[] data(long leaseNanos) {
        CachedData known = data;
        if (known.leaseNanos() != leaseNanos) {
            known = new CachedData(leaseNanos, NodeData.of(owner, TimeUnit.NANOSECONDS.toMillis(leaseNanos)));
            data = known;
        }
        return known.bytes();
    }

    ZooKeeperLockOptions options() {
        return options;
    }

    NodePaths paths() {
        return paths;
    }

    NodeOrder line() {
        return line;
    }

    ErrorMessages explain() {
        return explain;
    }

    HeldGrants grants() {
        return grants;
    }

    NodeWatches watches() {
        return watches;
    }

    PendingDeletes leftovers() {
        return leftovers;
    }

    SequenceCounterWatch counters() {
        return counters;
    }

    SessionEvents doubts() {
        return doubts;
    }

    RequestTimeouts deadlines() {
        return deadlines;
    }

    SessionTracker link() {
        return link;
    }

    LockTime time() {
        if (time == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return time;
    }

    BackendListener listener() {
        if (listener == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return listener;
    }
}
