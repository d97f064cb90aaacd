package io.quarkiverse.lock.zookeeper.session;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Lets the server hear of an idle session. The client's own pings do that too, but their answers are not visible outside the
 * client, so nobody would know of a pause.
 */
final class Heartbeat {

    /** Per session timeout. Three would be enough for a lease, if none were late. */
    private static final int BEATS = 6;

    private final Supplier<@Nullable Session> usable;
    private final Consumer<Session> ended;
    private final Timers timers;
    private final String root;
    private final AtomicBoolean beating = new AtomicBoolean();

    /**
     * @param usable the usable session, if there is one
     * @param ended called with a session that can send no more requests
     */
    Heartbeat(Supplier<@Nullable Session> usable, Consumer<Session> ended, Timers timers, String root) {
        this.usable = usable;
        this.ended = ended;
        this.timers = timers;
        this.root = root;
    }

    /** Continues while there is a usable session. */
    void begin() {
        if (beating.compareAndSet(false, true)) {
            beat();
        }
    }

    private void beat() {
        Session session = usable.get();
        if (session != null) {
            timers.later(TimeUnit.MILLISECONDS.toNanos(session.timeoutMillis()) / BEATS, this::beat);
            ask(session);
            return;
        }
        beating.set(false);
        if (usable.get() != null) {
            begin(); // it has come since the last look
        }
    }

    private void ask(Session session) {
        long sentAt = timers.nanoTime();
        session.zk().exists(root, false, (rc, path, ctx, stat) -> {
            if (rc == Code.OK.intValue() || rc == Code.NONODE.intValue()) {
                session.heard(sentAt, timers.nanoTime());
            } else if (rc == Code.SESSIONEXPIRED.intValue()) {
                ended.accept(session);
            }
        }, null);
    }
}
