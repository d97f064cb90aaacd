package io.quarkiverse.lock.testkit.history;

import java.util.List;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/** What one handle may say, and what it must be worth when it is handed out. */
final class HandleRules {

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
                add(request, "valid after its loss was told", violations);
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
     * What has been taken is not renewed any more, so it ends with the lease it had.
     *
     * @param longestLease that anybody has asked for: a grant that is handed on inside a process keeps its own
     */
    static void checkTaken(Request request, long longestLease, List<Violation> violations) {
        HistoryEvent valid = request.lastValid;
        if (valid != null && request.takenBy != Long.MAX_VALUE && valid.from() > request.takenBy + longestLease) {
            add(request, "valid " + (valid.from() - request.takenBy) / 1_000_000 + " ms after it was taken by force",
                    violations);
        }
    }

    /** It was looked at where it was decided, so no pause excuses it. */
    static void checkArrival(HistoryEvent granted, List<Violation> violations) {
        if (granted.value() <= 0) {
            violations.add(new Violation(Rule.ARRIVAL, granted.name(), "handed out when it was over", List.of(granted)));
        }
    }
}
