package io.quarkiverse.lock.zookeeper.session;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.zookeeper.errors.Refusal;
import io.quarkiverse.lock.zookeeper.errors.ReplyCodes;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/**
 * The current session. Requests go directly to its ZooKeeper client, which Curator creates, connects, and replaces when the
 * session has expired.
 */
public final class SessionTracker implements RootNode.Outcome {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(200);

    private final CuratorFramework curator;
    private final ZooKeeperLockOptions options;
    private final String root;
    private final Timers timers;
    private final ConnectionEvents events;
    private final AuthFailureRecovery authFailures;
    private final Heartbeat heartbeat;
    private final ShortSessionWarning shortSessions;
    private final AbandonedSessions abandoned;
    private final CheckpointedSession checkpointed = new CheckpointedSession();
    private final SessionWaiters waiters = new SessionWaiters();
    private final ReentrantLock guard = new ReentrantLock();
    private final AtomicBoolean checksLater = new AtomicBoolean();

    private volatile List<SessionEvents> listeners = List.of();
    private volatile @Nullable Session current;
    private boolean checking;
    private volatile boolean connected;
    private volatile @Nullable Session usable;
    /** Whether the listeners have been told of this connection although the root is refused. Under the guard. */
    private boolean toldAnyway;

    /** @param login authenticates the clients that end sessions; those that Curator makes know the identity already */
    public SessionTracker(CuratorFramework curator, ZooKeeperLockOptions options, String root, Timers timers,
            Consumer<ZooKeeper> login) {
        this.curator = curator;
        this.options = options;
        this.root = root;
        this.timers = timers;
        this.events = new ConnectionEvents(curator, this);
        this.authFailures = new AuthFailureRecovery(curator, timers);
        this.abandoned = new AbandonedSessions(curator, login);
        this.shortSessions = new ShortSessionWarning(options);
        this.heartbeat = new Heartbeat(this::usable, this::checkClosed, timers, root);
    }

    /** From now on the listeners are called, in this order. */
    public void attach(SessionEvents... listeners) {
        this.listeners = List.of(listeners);
        events.begin();
    }

    public void detach() {
        events.end();
        current = null; // its end is no longer of interest
        usable = null;
        abandoned.forget();
    }

    /** The session, if it is connected and checked; otherwise {@link #park}. */
    public @Nullable Session usable() {
        return usable;
    }

    public boolean connected() {
        return connected;
    }

    /** A checkpoint of the process is made. */
    public void share() {
        checkpointed.share(current);
    }

    /** The process was restored from it. */
    public void leaveShared() {
        Session session = current;
        if (checkpointed.leave(session)) {
            closed(session);
        }
    }

    /** Resumes the waiter when there is a session, or at once if there already is one. */
    public void park(SessionWaiters.Waiter waiting) {
        waiters.add(waiting);
        Refusal refusal = authFailures.refusal();
        if (usable != null) {
            waiters.resumeAll();
        } else if (connected) {
            check();
        } else if (refusal != null) {
            waiters.refuseAll(refusal);
        } else if (authFailures.isDead()) {
            authenticationFailed();
        }
    }

    public void unpark(SessionWaiters.Waiter waiting) {
        waiters.remove(waiting);
    }

    // --- what happens to the connection

    void up() {
        up(true);
    }

    /** @param justMade there was no connection until now */
    void up(boolean justMade) {
        ZooKeeper zk;
        try {
            zk = curator.getZookeeperClient().getZooKeeper();
        } catch (Exception e) {
            LOG.debug("There is no ZooKeeper client", e);
            timers.later(AGAIN, () -> up(justMade)); // Curator throws earlier failures here, one at a time
            return;
        }
        if (zk.getState() == ZooKeeper.States.AUTH_FAILED) {
            down(); // the previous session, if there was one, belonged to another client
            authenticationFailed(); // a broken login causes an event without a state, which Curator does not pass on
            return;
        }
        if (zk.getState() != ZooKeeper.States.CONNECTED || checkpointed.leaves(zk)) {
            return; // no longer; another event follows
        }
        Session before;
        Session now;
        boolean shorter;
        guard.lock();
        try {
            before = current;
            now = before != null && before.zk() == zk && before.id() == zk.getSessionId() && !before.over() ? before
                    : session(zk);
            shorter = now.negotiated(zk.getSessionTimeout(), timers.nanoTime(), justMade);
            current = now;
            toldAnyway = false;
            connected = true;
            if (before != now || tooShort(now)) {
                usable = null;
            }
        } finally {
            guard.unlock();
        }
        if (before != null && before != now) {
            end(before);
        }
        abandoned.end();
        if (shorter) {
            listeners.forEach(each -> each.shortened(now));
        }
        if (shorter || before != now) {
            shortSessions.check(now);
        }
        if (tooShort(now)) {
            listeners.forEach(each -> each.reconnected(now)); // useless for new claims, but the nodes that wait or were given up there have to be deleted
        }
        check();
    }

    private Session session(ZooKeeper zk) {
        return checkpointed.made(new Session(zk, zk.getSessionId(), options,
                NodeRoom.of(zk.getClientConfig(), curator.getZookeeperClient().getCurrentConnectionString(), root)));
    }

    /** Whether it leaves no lease for a holder. */
    private boolean tooShort(Session session) {
        return session.leaseNanos() <= options.afterLossDelay().toNanos();
    }

    void down() {
        guard.lock();
        try {
            connected = false;
            usable = null;
        } finally {
            guard.unlock();
        }
        listeners.forEach(each -> each.disconnected());
    }

    /**
     * Curator reports this after it has created the next client, which may already be in use: then {@link #up} has ended the
     * old one.
     */
    void expired() {
        Session ended;
        guard.lock();
        try {
            ended = current;
            if (ended != null && ended.zk().getState().isAlive()) {
                if (ended.zk().getState().isConnected()) {
                    return;
                }
                ended = null; // it is the next one; its connection is lost as well, which is not always reported
            } else {
                current = null;
            }
            connected = false;
            usable = null;
        } finally {
            guard.unlock();
        }
        listeners.forEach(each -> each.disconnected());
        if (ended != null) {
            end(ended);
        }
    }

    /** Curator's client is about to close, and the servers will delete the nodes at once. */
    void closing() {
        Session session = current;
        if (session != null) {
            closed(session);
        }
    }

    /** Somebody has closed or replaced the client. */
    @Override
    public void closed(Session session) {
        guard.lock();
        try {
            if (current != session) {
                return;
            }
            current = null;
            connected = false;
            usable = null;
        } finally {
            guard.unlock();
        }
        listeners.forEach(each -> each.disconnected());
        end(session);
    }

    /** A request has failed because its session has ended: nobody else may tell so if the client was closed. */
    public void checkClosed(Session session) {
        if (!session.zk().getState().isAlive()) {
            closed(session);
        }
    }

    /** The servers do not accept the credentials. */
    void authenticationFailed() {
        refuse(new Refusal(Code.AUTHFAILED.intValue(), root, null, 0));
    }

    private void end(Session session) {
        session.end();
        abandoned.add(session);
        listeners.forEach(each -> each.ended(session));
    }

    // --- whether the session can be used

    /** Something is wrong with the root: checks it before the session can be used again. */
    public void checkRoot(Session session) {
        guard.lock();
        try {
            if (usable == session) {
                usable = null;
            }
        } finally {
            guard.unlock();
        }
        check();
    }

    private void check() {
        Session session;
        guard.lock();
        try {
            session = current;
            if (session == null || checking) {
                return;
            }
            checking = true;
        } finally {
            guard.unlock();
        }
        if (tooShort(session)) {
            checked();
            refuse(new Refusal(0, root, null, session.timeoutMillis()));
        } else {
            new RootNode(session, root, options, this).check();
        }
    }

    private void checked() {
        guard.lock();
        try {
            checking = false;
        } finally {
            guard.unlock();
        }
    }

    @Override
    public void ready(Session session) {
        boolean current;
        guard.lock();
        try {
            checking = false;
            current = connected && this.current == session && !session.over();
            if (current) {
                usable = session;
            }
        } finally {
            guard.unlock();
        }
        if (current) {
            heartbeat.begin();
            authFailures.granted();
            listeners.forEach(each -> each.reconnected(session));
            waiters.resumeAll();
        } else if (connected) {
            check();
        }
    }

    @Override
    public void failed(Session session, int rc, String path, @Nullable String format) {
        checked();
        if (rc == Code.AUTHFAILED.intValue() && current == session) {
            down(); // the login broke after the connection was reported
        }
        if (format == null && ReplyCodes.connectionLost(rc)) {
            LOG.debugf("ZooKeeper did not answer about %s: %s", path, Code.get(rc));
            if (usableSoon(session)) {
                check();
            }
        } else if (format == null && ReplyCodes.busy(rc)) {
            timers.later(AGAIN, this::check);
        } else {
            refuse(new Refusal(rc, path, format, 0));
            tellAnyway(session);
            checkLater();
        }
    }

    /** New claims are refused, but nodes that wait or must be deleted need no root. Once per connection. */
    private void tellAnyway(Session session) {
        boolean first;
        guard.lock();
        try {
            first = connected && current == session && !toldAnyway;
            toldAnyway |= first;
        } finally {
            guard.unlock();
        }
        if (first) {
            listeners.forEach(each -> each.reconnected(session));
        }
    }

    /** Somebody may correct the root. Existing grants need this to be noticed, even if there are no new claims. */
    private void checkLater() {
        if (checksLater.compareAndSet(false, true)) {
            timers.later(5 * AGAIN, () -> {
                checksLater.set(false);
                if (connected && usable == null) {
                    check();
                }
            });
        }
    }

    /** Whether there already is another session; otherwise the next event starts the check. */
    private boolean usableSoon(Session after) {
        guard.lock();
        try {
            return connected && current != null && current != after;
        } finally {
            guard.unlock();
        }
    }

    private void refuse(Refusal refusal) {
        if (refusal.rc() == Code.AUTHFAILED.intValue()) {
            authFailures.refused(refusal);
        }
        waiters.refuseAll(refusal);
    }
}
