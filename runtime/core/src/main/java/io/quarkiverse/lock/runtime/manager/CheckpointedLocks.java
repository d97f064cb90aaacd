package io.quarkiverse.lock.runtime.manager;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Notified of checkpoints of this process, and of restores from one (CRaC, SnapStart). Used only if {@code org.crac} is part of
 * the application.
 */
public final class CheckpointedLocks implements Resource, Runnable {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private final Supplier<Collection<LockEngine>> engines;
    private volatile boolean over;

    CheckpointedLocks(Supplier<Collection<LockEngine>> engines) {
        this.engines = engines;
    }

    /** @return keep it as long as the application runs: the context itself does not */
    public static Runnable register(Supplier<Collection<LockEngine>> engines) {
        var locks = new CheckpointedLocks(engines);
        Core.getGlobalContext().register(locks);
        return locks;
    }

    /** The application has ended. */
    @Override
    public void run() {
        over = true;
    }

    @Override
    public void beforeCheckpoint(Context<? extends Resource> context) {
        if (over) {
            return;
        }
        List<String> held = new ArrayList<>();
        for (LockEngine engine : engines.get()) {
            engine.beforeCheckpoint();
            for (HeldLock each : engine.held()) {
                held.add(PrintableName.of(each.name()));
            }
        }
        if (!held.isEmpty()) {
            LOG.warnf(
                    "%d lock(s) are held at a checkpoint: every process restored from it believes that it holds them, "
                            + "as long as the store keeps them. Make checkpoints while nothing is locked. Held: %s",
                    held.size(),
                    held.subList(0, Math.min(20, held.size())));
        }
    }

    @Override
    public void afterRestore(Context<? extends Resource> context) {
        if (over) {
            return;
        }
        RuntimeException failure = null;
        for (LockEngine engine : engines.get()) {
            try {
                engine.afterRestore();
            } catch (RuntimeException e) { // the callers of the others are held back until it is their turn
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
