package io.quarkiverse.lock.engine.acquire;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.news.Events;
import io.quarkiverse.lock.engine.queue.Admission;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.engine.state.TryHold;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockTime;

/** Makes the holds of those who ask for locks, and brings them to their queues. */
public final class Requests {

    private final LockBackend backend;
    private final LockTime time;
    private final NameTable names;
    private final Admission admission;
    private final Events events;
    private final ErrorMessages errors;

    public Requests(LockBackend backend, LockTime time, NameTable names, Admission admission, Events events,
            ErrorMessages errors) {
        this.backend = backend;
        this.time = time;
        this.names = names;
        this.admission = admission;
        this.events = events;
        this.errors = errors;
    }

    /** A hold that stands in no line with others of this JVM: its backend grants it at once, and others as well. */
    public LockHold apart(String name, HoldSettings settings) {
        NameQueue queue = names.apart(name);
        LockHold hold = new LockHold(queue, settings, time.nanoTime(), Thread.currentThread(), null);
        events.emit(Kind.REQUESTED, hold, 0, null);
        if (names.closing()) {
            hold.refuse(Refusal.failed(errors.closing(name)));
            names.idle(queue);
            return hold;
        }
        admission.enter(hold);
        return hold;
    }

    /**
     * Puts a new hold in line; it may have its outcome already.
     *
     * @param thread to unpark when the wait is over
     * @param waiter to call then
     */
    LockHold ask(String name, HoldSettings settings, @Nullable Thread thread, LockHold.@Nullable Waiter waiter) {
        long now = time.nanoTime();
        for (;;) {
            NameQueue queue = names.of(name);
            LockHold hold = settings.waitNanos() == 0 && !settings.exclusive()
                    ? new TryHold(queue, settings, now, thread, waiter)
                    : new LockHold(queue, settings, now, thread, waiter);
            events.emit(Kind.REQUESTED, hold, 0, null);
            if (names.closing()) {
                hold.refuse(Refusal.failed(errors.closing(name)));
                return hold;
            }
            if (admission.enter(hold)) {
                return hold;
            }
            names.forget(queue);
        }
    }

    /** Even who does not want to wait has to wait for the backend's answer. */
    long patience(HoldSettings settings) {
        return settings.waitNanos() == 0 ? 2 * backend.operationTimeout().toNanos() : settings.waitNanos();
    }
}
