package io.quarkiverse.lock.redis.topology;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.ReconnectingConnection;

/**
 * Handles the replacement of the master by the sentinels: a planned fail-over leaves the former master running for ten seconds,
 * and what it grants after its successor has begun is lost.
 *
 * <ol>
 * <li>There is no connection to a master until each sentinel is listened to and has said whether the master is being replaced,
 * or half a second has passed: a JVM that starts during a fail-over would miss its beginning.</li>
 * <li>As soon as a sentinel chooses the successor, all connections are given up. What the former master has granted up to then
 * has reached the successor.</li>
 * <li>They are made again shortly after the first sentinel has named the successor: by then the others name it too, and any of
 * them gives its address.</li>
 * <li>First all holds are renewed there. Locks are requested a moment later, including those held back since the beginning: a
 * JVM whose hold the successor does not know hears of it before anybody else can be granted the lock.</li>
 * </ol>
 *
 * It depends on the sentinels' word in time: a JVM that does not hear them goes by the role of its server. Event loop only.
 */
final class SentinelFailover implements SentinelSubscription.Watcher {

    private static final Logger LOG = Logger.getLogger(SentinelFailover.class);

    /** How long the sentinels may take to agree on the new master. */
    static final long AGREEMENT = TimeUnit.MILLISECONDS.toNanos(500);
    /** How long a JVM that starts waits to hear the sentinels. */
    private static final long FIRST_NEWS = TimeUnit.MILLISECONDS.toNanos(500);
    /** How long holds are renewed before locks are requested. */
    static final long RENEWALS_FIRST = TimeUnit.MILLISECONDS.toNanos(500);
    /** How long to wait for the name of a successor. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

    private enum State {
        NONE,
        /** Not all sentinels have been heard since the start. */
        STARTING,
        /** The successor is being chosen. */
        BEGUN,
        /** It has been named, and may not be known to all sentinels. */
        NAMED,
        /** It is the master, and renewals go first. */
        RENEWING
    }

    private final EventLoop loop;
    private final MasterConnections connections;
    private final List<SentinelSubscription> news = new ArrayList<>();
    private final Set<SentinelSubscription> unheard = new HashSet<>();
    private State state = State.NONE;
    private boolean listening;
    private long number;
    /** The latest that any sentinel has said. */
    private long epoch = -1;
    private String master = "";
    /** The sentinel that has begun to replace the master, until it says that it is done. */
    private @Nullable SentinelSubscription leader;

    SentinelFailover(EventLoop loop, MasterConnections connections, Sentinels sentinels, long timeoutNanos) {
        this.loop = loop;
        this.connections = connections;
        sentinels.clients()
                .forEach(each -> news.add(new SentinelSubscription(loop, each, timeoutNanos, sentinels.master(), this)));
    }

    /** Called once, before there is any connection to the master. */
    void listen() {
        if (listening) {
            return;
        }
        listening = true;
        enter(State.STARTING);
        connections.suspend(new IllegalStateException("nothing has been heard from the sentinels yet"));
        unheard.addAll(news);
        after(FIRST_NEWS, this::settled);
        news.forEach(ReconnectingConnection::dial);
    }

    @Override
    public void listened(SentinelSubscription to) {
        if (unheard.remove(to) && unheard.isEmpty() && state == State.STARTING) {
            settled();
        }
    }

    /** While a sentinel was not listened to, the master may have been replaced. */
    @Override
    public void master(long epoch, String address) {
        if (epoch > this.epoch) {
            this.epoch = epoch;
            if (master.isEmpty()) {
                master = address;
            } else if (!address.equals(master)) {
                replaced(address);
            }
        }
    }

    void close() {
        news.forEach(ReconnectingConnection::close);
    }

    @Override
    public void replacing(SentinelSubscription by) {
        leader = by;
        if (state == State.NONE || state == State.STARTING || state == State.RENEWING) {
            LOG.info("The Redis sentinels are replacing the master: locks wait until they have named another one");
            enter(State.BEGUN);
            connections.suspend(new IllegalStateException("the sentinels are replacing the master"));
            connections.asksLater(true);
            after(PATIENCE, this::settled);
        }
    }

    @Override
    public void leadsNone(SentinelSubscription sentinel) {
        if (leader == sentinel) {
            leader = null;
        }
    }

    @Override
    public void aborted() {
        leader = null;
        if (state == State.BEGUN) {
            settled();
        }
    }

    @Override
    public void replaced(SentinelSubscription by, String address) {
        boolean done = by == leader;
        if (done) {
            leader = null;
        }
        // The leader names the successor from the beginning to all who ask, and publishes it only when all replicas follow: if
        // it is known by then, that is no news. Any other sentinel may have named the former master until now, and a connection
        // may lead there.
        boolean known = state == State.NONE || state == State.RENEWING;
        if (!(done && known && address.equals(master))) {
            replaced(address);
        }
    }

    private void replaced(String address) {
        master = address;
        if (state != State.NAMED) {
            enter(State.NAMED);
            connections.suspend(new IllegalStateException("the sentinels have named another master"));
            connections.asksLater(true);
            after(AGREEMENT, () -> {
                enter(State.RENEWING);
                connections.resume();
                after(PATIENCE, this::settled);
            });
        }
    }

    /** There is a connection for commands, over which holds are renewed from now on. */
    void connected() {
        if (state == State.RENEWING) {
            enter(State.RENEWING);
            after(RENEWALS_FIRST, this::settled);
        }
    }

    private void settled() {
        enter(State.NONE);
        connections.resume();
        connections.asksLater(false);
    }

    private void enter(State next) {
        state = next;
        number++;
    }

    /** Runs the step, unless another state has been entered by then. */
    private void after(long nanos, Runnable step) {
        long then = number;
        loop.after(nanos, () -> {
            if (then == number) {
                step.run();
            }
        });
    }
}
