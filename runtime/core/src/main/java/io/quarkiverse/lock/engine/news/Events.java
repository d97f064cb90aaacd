package io.quarkiverse.lock.engine.news;

import java.util.function.Consumer;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Recording.Outcome;
import io.quarkiverse.lock.engine.state.HoldNews;
import io.quarkiverse.lock.engine.state.HoldTrace;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Notifies the listener, the recording and the traces of single holds, if there are any; without a listener no event is
 * created. Whatever they throw is logged and goes no further: a caller may still have to be told of its lock after this.
 */
public final class Events {

    private static final Logger LOG = Logger.getLogger(Events.class);

    private final @Nullable LockListener listener;
    private final @Nullable Tracing tracing;
    private final @Nullable Recording recording;
    private final long recordedFrom;
    private final String backend;
    private final boolean transactional;

    /**
     * @param backend the name of the backend
     * @param transactional whether a lock exists only once it has a fencing token
     */
    public Events(@Nullable LockListener listener, @Nullable Tracing tracing, @Nullable Recording recording,
            String backend, boolean transactional) {
        this.listener = listener;
        this.tracing = tracing;
        this.recording = recording;
        this.recordedFrom = recording == null ? Long.MAX_VALUE : recording.thresholdNanos();
        this.backend = backend;
        this.transactional = transactional;
    }

    public void emit(Kind kind, LockHold hold, long nanos, @Nullable String reason) {
        if (listener == null && tracing == null && nanos < recordedFrom && kind != Kind.LOST
                || transactional && (kind == Kind.GRANTED || kind == Kind.RELEASED)
                        && (hold.onlyTurn() || hold.refused())) {
            return; // the turn in this JVM is not yet the lock, and a lock that could not be kept was not held
        }
        if (tracing != null) {
            trace(kind, hold, reason);
        }
        if (recording != null) {
            try {
                record(recording, kind, hold, nanos, reason);
            } catch (RuntimeException | Error e) {
                notRecorded(hold, e);
            }
        }
        if (listener != null) {
            tell(listener, kind, hold, nanos, reason);
        }
    }

    private void tell(LockListener listener, Kind kind, LockHold hold, long nanos, @Nullable String reason) {
        try {
            listener.onEvent(new LockEvent(kind, hold.name(), hold.settings.template(), hold.fencingToken(), nanos, reason,
                    backend, hold.settings.manager()));
        } catch (RuntimeException | Error e) {
            LOG.errorf(e, "A lock listener failed at %s of lock '%s'", kind, PrintableName.of(hold.name()));
        }
    }

    // --- recordings

    private void record(Recording to, Kind kind, LockHold hold, long nanos, @Nullable String reason) {
        if (kind == Kind.LOST) {
            to.lost(recorded(hold), reason, nanos);
        } else if (nanos >= recordedFrom) {
            switch (kind) {
                case GRANTED, BATON -> {
                    if (!recordedByCaller(hold)) {
                        to.waited(recorded(hold), Outcome.GRANTED, null, nanos);
                    }
                }
                case BUSY -> to.waited(recorded(hold), Outcome.BUSY, reason, nanos);
                case FAILED -> to.waited(recorded(hold), Outcome.FAILED, null, nanos);
                case RELEASED -> to.held(recorded(hold), nanos);
                case REQUESTED, SUSPECT, RELEASE_REQUESTED, RELEASED_LATE, RETRIED, LOST -> {
                    // only the end matters
                }
            }
        }
    }

    /** Whether the caller records it: it does if it is a thread, or if the lock lives in a transaction. */
    private boolean recordedByCaller(LockHold hold) {
        return transactional || hold.caller() != null;
    }

    /** Whether anybody wants to know what a caller {@linkplain #received has received}. */
    public boolean recorded() {
        return recording != null;
    }

    /** The current thread has received the hold that it asked for, whether or not it had to wait. */
    public void received(LockHold hold, long nanos) {
        if (recording != null && nanos >= recordedFrom && !hold.refused() && !hold.onlyTurn()) {
            try {
                recording.waited(recorded(hold), Outcome.GRANTED, null, nanos);
            } catch (RuntimeException | Error e) {
                notRecorded(hold, e);
            }
        }
    }

    private static void notRecorded(LockHold hold, Throwable e) {
        LOG.errorf(e, "Lock '%s' could not be recorded", PrintableName.of(hold.name()));
    }

    private Recording.Lock recorded(LockHold hold) {
        return new Recording.Lock(hold.name(), hold.settings, backend, hold.fencingToken());
    }

    // --- traces of single holds

    private void trace(Kind kind, LockHold hold, @Nullable String reason) {
        switch (kind) {
            case GRANTED, BATON -> with(hold, trace -> trace.granted(hold.fencingToken(), kind == Kind.BATON));
            case BUSY -> with(hold, trace -> trace.busy(reason));
            case FAILED -> with(hold, trace -> trace.failed(reason));
            case LOST -> with(hold, trace -> trace.lost(reason));
            case REQUESTED, SUSPECT, RELEASE_REQUESTED, RELEASED, RELEASED_LATE, RETRIED -> {
                // only the end matters
            }
        }
    }

    /** Called once, on the caller's thread, when the hold is about to be requested. */
    public void requested(LockHold hold) {
        follow(hold);
        emit(Kind.REQUESTED, hold, 0, null);
    }

    /** Called on the caller's thread, for a hold that may be given up without ever being reported as {@link Kind#REQUESTED}. */
    public void follow(LockHold hold) {
        if (tracing == null) {
            return;
        }
        try {
            HoldTrace trace = tracing.requested(hold.name(), hold.settings, backend);
            if (trace != null) {
                hold.news().trace = trace;
            }
        } catch (RuntimeException | Error e) {
            failed(hold, e);
        }
    }

    /** Another hold asks in place of the one that was requested. */
    public void moved(LockHold from, LockHold to) {
        HoldTrace trace = traceOf(from);
        if (trace != null) {
            to.news().trace = trace;
        }
    }

    /** The caller no longer waits for it. */
    public void givenUp(LockHold hold) {
        if (tracing != null) {
            with(hold, HoldTrace::givenUp);
        }
    }

    /** The hold has ended, and so has its release. */
    public void over(LockHold hold) {
        if (tracing != null) {
            with(hold, trace -> trace.ended(hold.markedLost()));
        }
    }

    private void with(LockHold hold, Consumer<HoldTrace> news) {
        HoldTrace trace = traceOf(hold);
        if (trace == null) {
            return;
        }
        try {
            news.accept(trace);
        } catch (RuntimeException | Error e) {
            failed(hold, e);
        }
    }

    private static @Nullable HoldTrace traceOf(LockHold hold) {
        HoldNews news = hold.newsIfAny();
        return news == null ? null : news.trace;
    }

    private static void failed(LockHold hold, Throwable e) {
        LOG.errorf(e, "Lock '%s' could not be traced", PrintableName.of(hold.name()));
    }
}
