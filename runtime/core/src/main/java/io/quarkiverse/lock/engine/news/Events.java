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
 * Tells the listener, the recording and those who follow single holds, if there are any; without a listener no event is made.
 * Whatever they throw is logged and ends here: there may be a caller behind this that has to be told of its lock.
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
     * @param transactional whether a lock is only there once it has a fencing token
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
                        && (hold.fencingToken() == 0 || hold.refused())) {
            return; // the turn in this JVM is not the lock, and what could not be kept was not held
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
                    // how it ends is what matters
                }
            }
        }
    }

    /** As it does where a thread has asked for it, and where the lock lives in a transaction. */
    private boolean recordedByCaller(LockHold hold) {
        return transactional || hold.caller() != null;
    }

    /** The current thread has the hold that it has asked for, whether or not it had to wait. */
    public void received(LockHold hold, long nanos) {
        if (recording != null && nanos >= recordedFrom && !hold.refused()
                && !(transactional && hold.fencingToken() == 0)) {
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

    // --- those who follow single holds

    private void trace(Kind kind, LockHold hold, @Nullable String reason) {
        switch (kind) {
            case GRANTED, BATON -> with(hold, trace -> trace.granted(hold.fencingToken(), kind == Kind.BATON));
            case BUSY -> with(hold, trace -> trace.busy(reason));
            case FAILED -> with(hold, trace -> trace.failed(reason));
            case LOST -> with(hold, trace -> trace.lost(reason));
            case REQUESTED, SUSPECT, RELEASE_REQUESTED, RELEASED, RELEASED_LATE, RETRIED -> {
                // what matters is how it ends
            }
        }
    }

    /** On the caller's thread: the hold is about to be asked for, once. */
    public void requested(LockHold hold) {
        follow(hold);
        emit(Kind.REQUESTED, hold, 0, null);
    }

    /** On the caller's thread, of one that may come to nothing without being {@link Kind#REQUESTED}. */
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

    /** The caller does not wait for it any more. */
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
