package io.quarkiverse.lock.deployment.rule;

import java.time.Duration;
import java.util.function.Consumer;

import io.quarkiverse.lock.deployment.method.LockedCandidate;
import io.quarkiverse.lock.name.Expressions;
import io.quarkiverse.lock.runtime.config.Durations;

/**
 * What a method may not combine with {@code linger}, which keeps its lock after the method. Values with expressions are checked
 * at the start.
 */
final class LingerRules {

    private final LockedCandidate candidate;
    private final Consumer<String> problems;

    LingerRules(LockedCandidate candidate, Consumer<String> problems) {
        this.candidate = candidate;
        this.problems = problems;
    }

    /** @param limit 0 for none */
    void check(int limit) {
        String text = candidate.string("linger");
        if (text.isEmpty() || Expressions.in(text) || Durations.parse(text).isZero()) {
            return;
        }
        if (limit > 0) {
            problem("limit = " + limit, "linger has no effect on a lock with a limit; remove one of the two");
        }
        String holdAtLeast = candidate.string("holdAtLeast");
        if (candidate.holdsAtLeast() && !Expressions.in(holdAtLeast)) {
            problem("holdAtLeast = \"" + holdAtLeast + "\"",
                    "linger has no effect together with holdAtLeast; remove one of the two");
        }
        if (candidate.string("renew").equals("false")) {
            problem("renew = \"false\"", "linger has no effect on a lock that is not renewed; remove one of the two");
        }
        String lease = candidate.string("lease");
        if (!lease.isEmpty() && !Expressions.in(lease)) {
            checkLease(Durations.parse(text), lease);
        }
    }

    private void checkLease(Duration linger, String text) {
        Duration lease;
        try {
            lease = Durations.parseLease(text);
        } catch (IllegalArgumentException e) {
            return; // reported separately
        }
        if (Durations.moreThanHalf(linger, lease)) {
            problem("lease = \"" + text + "\"", "it must be at most half of the lease; shorten the one, or raise the other");
        }
    }

    private void problem(String other, String why) {
        problems.accept("@Locked(linger = \"" + candidate.string("linger") + "\", " + other + "): " + why);
    }
}
