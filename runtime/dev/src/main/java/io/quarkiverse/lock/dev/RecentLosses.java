package io.quarkiverse.lock.dev;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkiverse.lock.spi.PrintableDuration;

/** Remembers the last losses since the application was started or reloaded. */
@Singleton
public class RecentLosses implements LockListener {

    private static final int KEPT = 50;

    private final Deque<Loss> losses = new ArrayDeque<>();

    /**
     * A lost hold of this JVM.
     *
     * @param template {@code null} for a lock that was taken through a {@code LockManager}
     */
    public record Loss(String time, String name, @Nullable String template, String manager, String fencingToken, String heldFor,
            @Nullable String reason) {
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event.kind() == Kind.LOST) {
            add(new Loss(Instant.now().toString(), LocksService.shown(event.name()), event.template(), event.manager(),
                    Long.toString(event.fencingToken()),
                    PrintableDuration.ofNanos(event.nanos()), event.reason()));
        }
    }

    private synchronized void add(Loss loss) {
        if (losses.size() == KEPT) {
            losses.removeLast();
        }
        losses.addFirst(loss);
    }

    /** Latest first. */
    synchronized List<Loss> list() {
        return new ArrayList<>(losses);
    }
}
