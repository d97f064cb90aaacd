package io.quarkiverse.lock.deployment.rule;

import java.util.Set;

import org.jboss.jandex.DotName;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;
import io.quarkiverse.lock.name.Expressions;
import io.quarkiverse.lock.runtime.config.Durations;
import io.quarkiverse.lock.runtime.method.LockedDefinition;
import io.quarkiverse.lock.spi.Feature;

/**
 * Warns about scheduled methods that one node should run while the others do not wait. Nothing keeps the name once the method
 * has ended, so a slightly later node runs it again. Silent about methods that wait: every node should run these.
 */
public final class ScheduledInTurn {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private static final Set<DotName> SCHEDULED = Set.of(DotName.createSimple("io.quarkus.scheduler.Scheduled"),
            DotName.createSimple("io.quarkus.scheduler.Scheduled$Schedules"));

    private ScheduledInTurn() {
    }

    /** @param backend of the method's manager */
    public static void warn(LockedMethodBuildItem locked, @Nullable LockBackendBuildItem backend) {
        LockedDefinition definition = locked.definition();
        if (SCHEDULED.stream().anyMatch(locked.candidate().method()::hasDeclaredAnnotation)
                && definition.holdAtLeast().isEmpty() && oneRunIsEnough(definition) && canHold(definition, backend)) {
            LOG.warnf("[%s] may be scheduled on every node, and the lock is free again as soon as the method has ended: a node "
                    + "whose clock is behind, or that was started later, then runs it again. Set @Locked(holdAtLeast), "
                    + "longer than the nodes may be apart and shorter than the time between two runs, or to \"0\" to "
                    + "avoid only simultaneous runs%s", definition.description(),
                    noWait(definition.waitFor()) ? ""
                            : "; and waitFor to \"0\", as a node that waits longer than that runs it too");
        }
    }

    /** A node that comes too late skips the run. */
    private static boolean oneRunIsEnough(LockedDefinition definition) {
        return definition.onBusy() != OnBusy.FAIL || noWait(definition.waitFor());
    }

    private static boolean noWait(String wait) {
        return !wait.isEmpty() && !Expressions.in(wait) && Durations.parseWait(wait).isZero();
    }

    /** Whether the advice can be followed, and other nodes exist at all, which they do not for a lock inside one JVM. */
    private static boolean canHold(LockedDefinition definition, @Nullable LockBackendBuildItem backend) {
        return backend != null && backend.distributed() && backend.features().contains(Feature.HOLD_AT_LEAST)
                && definition.mode() == LockMode.EXCLUSIVE && definition.limit() == 0;
    }
}
