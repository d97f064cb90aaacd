package io.quarkiverse.lock.deployment.rule;

import org.jboss.jandex.IndexView;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkiverse.lock.deployment.method.LockedMethodBuildItem;
import io.quarkiverse.lock.name.Expressions;
import io.quarkiverse.lock.runtime.config.Durations;

/**
 * Warns about methods that are retried outside the lock although their name stays taken after each attempt: the next attempt
 * finds it busy, and the skipped call or the fallback then counts as a success.
 */
public final class RetriesOfKeptNames {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private RetriesOfKeptNames() {
    }

    /** Silent if the next attempt waits for longer than the name is kept. */
    public static void warn(LockedMethodBuildItem locked, IndexView index) {
        LockedCandidate candidate = locked.candidate();
        if (candidate.holdsAtLeast() && !waitsForIt(candidate) && !FaultToleranceInside.isInside()
                && FaultToleranceInside.annotations(candidate, index).contains("@Retry")) {
            LOG.warnf(
                    "[%s] has @Retry outside its lock, and holdAtLeast: unless @Retry or the call itself (waitFor) waits "
                            + "for longer than that, the attempt after a failed one finds its own name still taken, and %s. Put @Retry on a method of another bean and "
                            + "call that one from here: all attempts then run under one lock",
                    locked.definition().description(),
                    switch (locked.definition().onBusy()) {
                        case FAIL -> "does not run";
                        case SKIP -> "is skipped, which @Retry takes for a success";
                        case FALLBACK -> "calls the fallback, which @Retry takes for a success";
                    });
        }
    }

    private static boolean waitsForIt(LockedCandidate candidate) {
        String wait = candidate.string("waitFor");
        String kept = candidate.string("holdAtLeast");
        try {
            return !wait.isEmpty() && !Expressions.in(wait) && !Expressions.in(kept)
                    && Durations.parseWait(wait).compareTo(Durations.parse(kept)) > 0;
        } catch (IllegalArgumentException e) {
            return false; // reported separately
        }
    }
}
