package io.quarkiverse.lock.runtime.manager;

import java.util.ArrayList;
import java.util.List;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkiverse.lock.text.PrintableName;

/** All lock listeners, as one. */
public final class LockListeners implements LockListener {

    private static final Logger LOG = Logger.getLogger(LockListeners.class);

    private final LockListener[] listeners;

    private LockListeners(List<LockListener> listeners) {
        this.listeners = listeners.toArray(new LockListener[0]);
    }

    /** {@code null} if there is no listener, so that the engine creates no events. */
    public static @Nullable LockListener find(ObservedEvents observed) {
        List<LockListener> found = new ArrayList<>();
        if (observed.any()) {
            found.add(new CdiEvents(observed));
        }
        found.addAll(EveryBean.of(LockListener.class));
        return switch (found.size()) {
            case 0 -> null;
            case 1 -> found.get(0);
            default -> new LockListeners(found);
        };
    }

    @Override
    public void onEvent(LockEvent event) {
        for (LockListener listener : listeners) {
            try {
                listener.onEvent(event);
            } catch (RuntimeException | Error e) { // the other listeners are still told
                LOG.errorf(e, "%s failed on %s", listener, PrintableName.oneLine(event.toString()));
            }
        }
    }
}
