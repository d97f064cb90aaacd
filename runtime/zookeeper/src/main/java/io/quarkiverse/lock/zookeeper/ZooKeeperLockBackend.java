package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.ClientCnxn;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.spi.WaitNotes;
import io.quarkiverse.lock.spi.support.AnsweringThread;
import io.quarkiverse.lock.zookeeper.claim.ClaimNodes;
import io.quarkiverse.lock.zookeeper.claim.EntryNews;
import io.quarkiverse.lock.zookeeper.claim.GrantDecision;
import io.quarkiverse.lock.zookeeper.claim.PendingClaim;
import io.quarkiverse.lock.zookeeper.claim.WaitingNodes;
import io.quarkiverse.lock.zookeeper.errors.ErrorMessages;
import io.quarkiverse.lock.zookeeper.grant.DowngradeRequest;
import io.quarkiverse.lock.zookeeper.grant.HeldGrants;
import io.quarkiverse.lock.zookeeper.grant.PendingDeletes;
import io.quarkiverse.lock.zookeeper.grant.ReleaseRequest;
import io.quarkiverse.lock.zookeeper.grant.RenewalRequest;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;
import io.quarkiverse.lock.zookeeper.nodes.NodePaths;
import io.quarkiverse.lock.zookeeper.nodes.SequenceCounterWatch;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;
import io.quarkiverse.lock.zookeeper.query.ForcedRelease;
import io.quarkiverse.lock.zookeeper.query.Inspection;
import io.quarkiverse.lock.zookeeper.query.LineQuery;
import io.quarkiverse.lock.zookeeper.query.ListThread;
import io.quarkiverse.lock.zookeeper.query.Listing;
import io.quarkiverse.lock.zookeeper.query.NoteRequest;
import io.quarkiverse.lock.zookeeper.query.RequestedRelease;
import io.quarkiverse.lock.zookeeper.session.Session;
import io.quarkiverse.lock.zookeeper.session.SessionTracker;
import io.quarkiverse.lock.zookeeper.session.Timers;
import io.smallrye.mutiny.Uni;

/**
 * Locks in ZooKeeper 3.5 or later. Only constructs and wires the parts; the guide's page "The ZooKeeper protocol" describes
 * what they do.
 *
 * <ol>
 * <li>One session for the JVM, which Curator keeps. A claim is an ephemeral sequential node in the container node of its name,
 * with the naming of Curator's recipes, so that both exclude each other. The node name contains the claim's token.</li>
 * <li>A claim creates its node and lists the container in one round trip ({@link ClaimNodes}). A missing container is created,
 * and the node again. The first node holds the lock; its {@code czxid} is the fence, since the numbers start again with each
 * container.</li>
 * <li>Any other node watches only the node before it. When that node goes, the claim holds the lock if that was the only one
 * before it and not a recipe's, and its own node exists, which it watches for that purpose. Otherwise it lists again and
 * decides by the list: a recipe that downgrades has another node with the same number by then. It sends {@code sync} with the
 * list if the session was last confirmed too long ago for the lease. The first node with a limit that waits for room watches
 * the container instead, since any holder may make room; when it gets in, it notifies the next one, which watches its data
 * ({@link EntryNews}).</li>
 * <li>A downgrade is a line in the holder's node, which keeps its place, since a new node would queue behind writers
 * ({@link DowngradeRequest}). A reader whose only obstacle is such a node holds the lock together with it.</li>
 * <li>If a creation had no reply, its node is searched for by the token when the connection is back, and counts only if it
 * belongs to the same session. The node of a claim that was withdrawn is deleted, until the servers have answered
 * ({@link PendingDeletes}).</li>
 * <li>A grant is certain for two thirds of the negotiated session timeout, less half a tick, counted from the sending of the
 * last request that the leader has answered: the creation, or the {@code sync} of a renewal. But it lasts no longer than the
 * whole timeout from the last request that the leader had heard of by then, since there may have been a pause
 * ({@link Session}). A shorter lease ends earlier, and then its node is deleted ({@link HeldGrants}).</li>
 * <li>A lost connection makes grants suspect; they stay valid until their lease ends. Its return renews them at once. The end
 * of the session loses them, and waiting claims create a new node in the next one.</li>
 * <li>A list is read by a second client, which is closed afterwards: a reply that is too large costs only that connection
 * ({@link Listing}).</li>
 * <li>A node that is held for longer than a moment is watched: somebody may delete it, or request its release through its data,
 * as Curator's {@code Revoker} does. Then, or once a second caller of the JVM wants the lock or nobody uses it any more, the
 * container is watched for waiters of other JVMs.</li>
 * </ol>
 *
 * A limit: an ensemble that loses its data starts counting again, so fences fall.
 *
 * <p>
 * Sources: the ZooKeeper documentation, "ZooKeeper Recipes and Solutions", Locks (sequential nodes, watch on the predecessor,
 * nodes found again by a GUID) and "Programmer's Guide", sessions and consistency guarantees; Curator's {@code LockInternals}
 * and {@code InterProcessReadWriteLock} for names and order, and its tech notes 10 and 14 for why a holder must know before the
 * servers do; {@code LearnerHandler} and {@code SessionTrackerImpl} of ZooKeeper for when a session expires.
 */
public final class ZooKeeperLockBackend implements LockBackend, AnsweringThread {

    private final CuratorFramework curator;
    private final ZooKeeperLockOptions options;
    private final String owner;
    private final Runnable atEnd;
    private final Consumer<ZooKeeper> login;
    private final int mostListed;
    private final NodePaths paths;
    private final NodeOrder order;
    private final ErrorMessages errors;
    private final Set<Feature> features;
    private final Duration operationTimeout;

    private final WaitNotes notes = new Notes();

    private volatile boolean closed;
    private @Nullable Parts parts;

    /** The parts that need the engine's time and listener. */
    record Parts(Timers timers, SessionTracker sessions, PendingDeletes deletes,
            SequenceCounterWatch counters, HeldGrants held, WaitingNodes waiting, ClaimNodes nodes, ListThread lists) {
    }

    /**
     * @param curator a started client, which the caller closes after this backend; one for all backends of a JVM
     * @param owner a description of this JVM for people
     */
    public ZooKeeperLockBackend(CuratorFramework curator, ZooKeeperLockOptions options, String owner) {
        this(curator, options, owner, () -> {
        });
    }

    /**
     * @param atEnd closes the client, if nobody else needs it: runs when this backend is closed and the leases of the locks
     *        that are still held are over
     */
    public ZooKeeperLockBackend(CuratorFramework curator, ZooKeeperLockOptions options, String owner, Runnable atEnd) {
        this(curator, options, owner, atEnd, client -> {
        }, Listing.MOST_NAMES);
    }

    /**
     * @param atEnd closes the client, if nobody else needs it: runs when this backend is closed and the leases of the locks
     *        that are still held are over
     * @param login authenticates the clients that list names or end sessions; those that Curator makes know the identity
     *        already
     * @param mostListed the most names that can be listed; if there are more, a list is refused
     */
    public ZooKeeperLockBackend(CuratorFramework curator, ZooKeeperLockOptions options, String owner, Runnable atEnd,
            Consumer<ZooKeeper> login, int mostListed) {
        this.curator = curator;
        this.login = login;
        this.mostListed = mostListed;
        this.options = options;
        this.owner = owner;
        this.atEnd = atEnd;
        String namespace = curator.getNamespace();
        this.paths = new NodePaths(ZKPaths.fixForNamespace(namespace.isEmpty() ? null : namespace, options.root()),
                options.nodes(), !options.writable());
        this.order = new NodeOrder(options.nodes());
        this.errors = new ErrorMessages(options, paths.root());
        this.features = options.nodes().features();
        this.operationTimeout = options.operationTimeout();
    }

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        var timers = new Timers(time, operationTimeout);
        var sessions = new SessionTracker(curator, options, paths.root(), timers, login);
        var deletes = new PendingDeletes(sessions, timers, errors);
        var counters = new SequenceCounterWatch();
        var held = new HeldGrants(timers, listener, order, deletes);
        var waiting = new WaitingNodes(sessions, timers);
        var news = new EntryNews(sessions, timers);
        var decision = new GrantDecision(options.afterLossDelay(), timers, errors);
        parts = new Parts(timers, sessions, deletes, counters, held, waiting,
                new ClaimNodes(options.acl(), owner, order, decision, waiting, deletes,
                        options.writable() ? news : null, counters),
                new ListThread(new Listing(curator, login, paths.root(), order, held, timers, errors, mostListed),
                        operationTimeout, errors));
        sessions.attach(deletes, held, waiting, news);
    }

    /** Of any ZooKeeper client: each has one, and calls watchers and callbacks there. */
    @Override
    public boolean onAnsweringThread() {
        return ClientCnxn.isInEventThread();
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        if (closed) {
            return closed(claim.name());
        }
        Parts by = parts();
        String container = paths.container(claim.name());
        return new PendingClaim(by.sessions(), by.timers(), errors, by.held(), by.nodes(), claim, container,
                paths.prefix(container, claim));
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
        Parts by = parts();
        return new RenewalRequest(by.sessions(), by.timers(), by.held(), paths.root(), ours);
    }

    /** The servers know no lease: for them the lock ends with the node, which this JVM deletes. */
    @Override
    public Uni<Renewal> shorten(Grant grant) {
        parts().held().endsEarlier((ZooKeeperGrant) grant);
        return renew(List.of(grant));
    }

    @Override
    public Uni<Void> release(Grant grant) {
        Parts by = parts();
        return new ReleaseRequest(by.sessions(), by.timers(), by.held(), by.deletes(), by.counters(), errors,
                (ZooKeeperGrant) grant);
    }

    @Override
    public Uni<Boolean> downgrade(Grant grant) {
        Parts by = parts();
        return new DowngradeRequest(by.sessions(), by.timers(), by.held(), owner, errors, (ZooKeeperGrant) grant);
    }

    @Override
    public void contended(Grant grant) {
        parts().held().watchForWaiters((ZooKeeperGrant) grant);
    }

    @Override
    public void lingers(Grant grant) {
        parts().held().watchWhileIdle((ZooKeeperGrant) grant);
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        Parts by = parts();
        return closed ? closed(name)
                : Uni.createFrom().deferred(() -> new Inspection(by.sessions(), by.timers(), errors, order, by.held(),
                        name, paths.container(name)));
    }

    @Override
    public Uni<Void> ready(String name) {
        return inspect(name).replaceWithVoid().onFailure(ErrorMessages::overloaded).recoverWithNull();
    }

    @Override
    public Uni<LockQuery.Page> list(LockQuery query) {
        return parts().lists().page(query);
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        Parts by = parts();
        return closed ? closed(name)
                : Uni.createFrom().deferred(() -> new ForcedRelease(by.sessions(), by.timers(), errors, order, by.held(),
                        name, paths.container(name)));
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        Parts by = parts();
        return closed ? closed(name)
                : Uni.createFrom().deferred(() -> new RequestedRelease(by.sessions(), by.timers(), errors, order, by.held(),
                        name, paths.container(name)));
    }

    @Override
    public WaitNotes waitNotes() {
        return notes;
    }

    /** Kept in the nodes of the waiters. */
    private final class Notes implements WaitNotes {

        @Override
        public Uni<Boolean> note(Claim waiting, String note) {
            Parts by = parts();
            String container = paths.container(waiting.name());
            return closed ? closed(waiting.name())
                    : Uni.createFrom().deferred(() -> new NoteRequest(by.sessions(), by.timers(), errors, order, waiting,
                            container, paths.prefix(container, waiting), owner, note));
        }

        @Override
        public Uni<Line> line(String name) {
            Parts by = parts();
            return closed ? closed(name)
                    : Uni.createFrom().deferred(() -> new LineQuery(by.sessions(), by.timers(), errors, order, name,
                            paths.container(name)));
        }
    }

    private <T> Uni<T> closed(String name) {
        return Uni.createFrom().failure(() -> errors.closed(name));
    }

    @Override
    public Set<Feature> features() {
        return features;
    }

    @Override
    public void checkUnrenewed(Duration lease) {
        int granted = curator.getZookeeperClient().getLastNegotiatedSessionTimeoutMs();
        Duration timeout = granted > 0 ? Duration.ofMillis(granted) : options.session(); // 0 before the first connection
        if (timeout != null && lease.compareTo(options.lease(timeout)) > 0) {
            throw errors.longUnrenewedLease(lease, options.lease(timeout));
        }
    }

    @Override
    public Duration operationTimeout() {
        return operationTimeout;
    }

    @Override
    public void beforeCheckpoint() {
        parts().sessions().share();
        parts().deletes().awaitNone(operationTimeout());
    }

    /** Loses what was held at the checkpoint: the servers keep it for the session, which other copies may have. */
    @Override
    public void afterRestore() {
        parts().sessions().leaveShared();
    }

    /**
     * Waits for the deletion of nodes that are no longer needed, for at most the operation timeout. Locks that are still held
     * keep their lease: the session, which would take their nodes with it, does not end earlier.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        Parts by = parts;
        if (by == null) {
            closed = true;
            atEnd.run();
            return;
        }
        by.deletes().awaitNone(operationTimeout());
        closed = true;
        by.lists().close();
        by.timers().stop();
        by.sessions().detach();
        long left = by.held().lastEnd() - by.timers().nanoTime();
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
                // ends at once
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

    NodePaths paths() {
        return paths;
    }

    Parts parts() {
        Parts known = parts;
        if (known == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return known;
    }
}
