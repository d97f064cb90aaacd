package io.quarkiverse.lock.engine.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.engine.queue.NameTable;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.LockTime;

/** Lists what this JVM holds. */
public final class HeldLocks {

    private final NameTable names;
    private final Validity validity;
    private final LockTime time;

    public HeldLocks(NameTable names, Validity validity, LockTime time) {
        this.names = names;
        this.validity = validity;
        this.time = time;
    }

    public List<HeldLock> list() {
        List<HeldLock> held = new ArrayList<>();
        for (NameQueue queue : names.all()) {
            for (LockHold hold : queue.holds()) {
                if (!hold.onlyTurn()) {
                    held.add(new HeldLock(hold.name(), hold.fencingToken(), hold.settings.mode(), hold.settings.limit(),
                            Duration.ofNanos(time.nanoTime() - hold.grantedAt()),
                            Duration.ofNanos(validity.validNanos(hold))));
                }
            }
        }
        return held;
    }
}
