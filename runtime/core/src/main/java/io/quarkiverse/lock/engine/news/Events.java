package io.quarkiverse.lock.engine.news;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockListener;

/** Tells the listener, if there is one; without it no event is even made. */
public final class Events {

    private static final Logger LOG = Logger.getLogger(Events.class);

    private final @Nullable LockListener listener;
    private final String backend;
    private final boolean transactional;

    /**
     * @param backend the name of the backend
     * @param transactional whether a lock is only there once it has a fencing token
     */
    public Events(@Nullable LockListener listener, String backend, boolean transactional) {
        this.listener = listener;
        this.backend = backend;
        this.transactional = transactional;
    }

    public void emit(Kind kind, LockHold hold, long nanos, @Nullable String reason) {
        if (listener == null || transactional && hold.fencingToken() == 0 && (kind == Kind.GRANTED || kind == Kind.RELEASED)) {
            return; // the turn in this JVM is not the lock
        }
        try {
            listener.onEvent(new LockEvent(kind, hold.name(), hold.settings.template(), hold.fencingToken(), nanos, reason,
                    backend, hold.settings.manager()));
        } catch (RuntimeException e) {
            LOG.errorf(e, "A lock listener failed at %s of lock '%s'", kind, PrintableName.of(hold.name()));
        }
    }
}
