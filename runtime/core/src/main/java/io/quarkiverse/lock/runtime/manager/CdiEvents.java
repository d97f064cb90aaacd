package io.quarkiverse.lock.runtime.manager;

import java.time.Duration;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.NotificationOptions;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockAcquired;
import io.quarkiverse.lock.LockBusy;
import io.quarkiverse.lock.LockLost;
import io.quarkiverse.lock.LockReleaseRequested;
import io.quarkiverse.lock.LockReleased;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkus.arc.Arc;

/** Fires the CDI events that somebody observes. */
final class CdiEvents implements LockListener {

    private final @Nullable Event<LockAcquired> acquired;
    private final @Nullable Event<LockReleased> released;
    private final @Nullable Event<LockLost> lost;
    private final @Nullable Event<LockBusy> busy;
    private final @Nullable Event<LockReleaseRequested> releaseRequested;

    /**
     * Without the request on whose thread it happens: that of the previous caller, or of whoever asks for a lock or forces it.
     */
    private final NotificationOptions outsideRequests = NotificationOptions
            .ofExecutor(new QuarkusCallerThreads.AnyWorker(Runnable::run));

    CdiEvents(ObservedEvents observed) {
        acquired = observed.acquired() ? event(LockAcquired.class) : null;
        released = observed.released() ? event(LockReleased.class) : null;
        lost = observed.lost() ? event(LockLost.class) : null;
        busy = observed.busy() ? event(LockBusy.class) : null;
        releaseRequested = observed.releaseRequested() ? event(LockReleaseRequested.class) : null;
    }

    private static <T> Event<T> event(Class<T> type) {
        return Arc.container().beanManager().getEvent().select(type);
    }

    @Override
    public void onEvent(LockEvent event) {
        String name = event.name();
        String template = event.template();
        Duration duration = Duration.ofNanos(event.nanos());
        switch (event.kind()) {
            case GRANTED, BATON -> {
                if (acquired != null) {
                    acquired.fireAsync(new LockAcquired(name, template, event.fencingToken(), duration), outsideRequests);
                }
            }
            case RELEASED -> {
                if (released != null) {
                    released.fireAsync(new LockReleased(name, template, event.fencingToken(), duration));
                }
            }
            case LOST -> {
                if (lost != null) {
                    String reason = event.reason() == null ? "unknown" : event.reason();
                    lost.fireAsync(new LockLost(name, template, event.fencingToken(), duration, reason), outsideRequests);
                }
            }
            case BUSY -> {
                if (busy != null) {
                    busy.fireAsync(new LockBusy(name, template, duration));
                }
            }
            case RELEASE_REQUESTED -> {
                if (releaseRequested != null) {
                    releaseRequested.fireAsync(new LockReleaseRequested(name, template, event.fencingToken(), duration),
                            outsideRequests);
                }
            }
            default -> {
                // REQUESTED, SUSPECT, RETRIED and RELEASED_LATE are for observers of the engine, not for applications
            }
        }
    }
}
