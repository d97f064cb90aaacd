package io.quarkiverse.lock.engine.state;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.text.PrintableName;

/**
 * The holds of several names that one caller has so far, in order. They are added one by one, by the thread that acts for the
 * caller at that moment.
 */
public final class Holds implements Held {

    private final LockHold[] holds;
    private volatile int size;

    /** @param names the final number of names */
    public Holds(int names) {
        holds = new LockHold[names];
    }

    public void add(LockHold hold) {
        holds[size] = hold;
        size = size + 1;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public LockHold get(int index) {
        return holds[index];
    }

    @Override
    public @Nullable LockHold refusedHold() {
        return null;
    }

    @Override
    public String name() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            names.add(holds[i].name());
        }
        return String.join(", ", names);
    }

    @Override
    public long fencingToken() {
        throw new IllegalStateException("Each of the locks '" + PrintableName.of(name())
                + "' has its own fencing token: use fencingToken(name)");
    }

    /** Whether there is one of each name. */
    public boolean complete() {
        return size == holds.length;
    }

    /**
     * There is one of each name, and nothing else to wait for: from now on, each of them is held as the caller wants. Holds
     * that the caller already had keep their limits.
     *
     * @param wanted the settings that each was requested with, {@linkplain HoldSettings#whileIncomplete while incomplete}
     */
    public void complete(HoldSettings wanted, long now) {
        for (LockHold hold : holds) {
            if (hold.settings.incomplete()) {
                hold.grantedAt(now);
                VarHandle.releaseFence(); // its limits, which count from then, are seen only now
                hold.settings = wanted;
                hold.publish();
                Lease lease = hold.lease();
                lease.noLongerThanKept();
                long due = lease.renewalDue();
                if (!hold.inDoubt() && !lease.grant.provisional() && !wanted.renewedAt(due, now)) {
                    lease.notDue(due); // it was planned for the sake of the wait
                }
            }
        }
    }
}
