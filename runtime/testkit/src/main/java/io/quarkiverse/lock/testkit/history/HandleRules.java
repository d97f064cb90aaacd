package io.quarkiverse.lock.testkit.history;

import java.util.List;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/** What a handle may say about itself, and how long it must be valid when it is handed out. */
final class HandleRules {

    /** Less than the part of the shortest lease that must be left for the engine to consider a grant worth having. */
    private static final long A_WHILE = 50_000_000;

    private HandleRules() {
    }

    static void check(Request request, List<Violation> violations) {
        HistoryEvent valid = request.lastValid;
        if (valid != null) {
            if (request.released != null && valid.from() > request.released.to()) {
                add(request, "valid after its release", violations);
            }
            if (request.firstInvalid != null && valid.from() > request.firstInvalid.to()) {
                add(request, "valid again", violations);
            }
            if (request.losses.stream().anyMatch(lost -> valid.from() > lost.to())) {
                add(request, "valid after its loss was reported", violations);
            }
        }
        if (request.losses.size() > 1) {
            add(request, "lost more than once", violations);
        }
    }

    private static void add(Request request, String what, List<Violation> violations) {
        violations.add(new Violation(Rule.VALIDITY, request.invoked.name(), what, request.events()));
    }

    /**
     * A lock taken by force is no longer renewed, so its hold ends with its current lease.
     *
     * @param longestLease the longest that anybody has asked for: a grant handed on inside a process keeps its own
     */
    static void checkTaken(Request request, long longestLease, List<Violation> violations) {
        HistoryEvent valid = request.lastValid;
        if (valid != null && request.takenBy != Long.MAX_VALUE && valid.from() > request.takenBy + longestLease) {
            add(request, "valid " + (valid.from() - request.takenBy) / 1_000_000 + " ms after it was taken by force",
                    violations);
        }
    }

    /**
     * What counts is how long it was valid from the decision on. A pause before the decision excuses nothing. A pause between
     * the decision and the check of it may outlast the lease, which was still good at the decision.
     */
    static void checkArrival(HistoryEvent granted, List<Violation> violations) {
        long good = granted.to() - granted.from() + granted.value();
        if (good < A_WHILE) {
            violations.add(new Violation(Rule.ARRIVAL, granted.name(),
                    "over " + good / 1_000_000 + " ms after it was decided to hand it out", List.of(granted)));
        }
    }
}
