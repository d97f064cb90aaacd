package io.quarkiverse.lock.testkit.history;

import java.util.List;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/** Nobody waits in vain: neither beyond the deadline, nor for a lock that nobody has. */
final class WaiterRules {

    private WaiterRules() {
    }

    static void answer(Request request, Requests history, HistoryChecker limits, long now, List<Violation> violations) {
        long slack = limits.slack().toNanos();
        long answered = Math.min(request.answeredAt(), now);
        long latest = request.invoked.to() + slack;
        for (HistoryEvent pause : history.paused(request.invoked.process()).with(request.invoked.from(), answered)) {
            latest += pause.to() - Math.max(pause.from(), request.invoked.from()) + slack;
        }
        long counted = request.invoked.from();
        for (HistoryEvent stall : history.stalls.with(counted, answered)) { // one that has just ended may be reported twice
            latest += Math.max(0, stall.to() - Math.max(stall.from(), counted));
            counted = Math.max(counted, stall.to());
        }
        if (answered > latest) {
            violations.add(new Violation(Rule.ANSWER, request.invoked.name(),
                    (request.answeredAt() > now ? "no answer " : "answered ") + (answered - request.invoked.to()) / 1_000_000
                            + " ms after the deadline",
                    request.events()));
        }
    }

    /** A lock may also be idle while any of the processes does not run: that process may be the one that has to act. */
    static void progress(String name, List<Request> requests, Requests history, HistoryChecker limits, long now,
            List<Violation> violations) {
        Spans waited = new Spans();
        Spans busy = new Spans();
        long begin = Long.MAX_VALUE;
        for (Request each : requests) {
            waited.add(each.invoked.from(), Math.min(now, each.answeredAt()));
            if (each.keptFrom() != Long.MAX_VALUE) {
                busy.add(each.keptFrom(), Math.min(now, each.keptUntil()));
            }
            begin = Math.min(begin, each.invoked.from());
        }
        for (HistoryEvent fault : history.faults) {
            busy.add(fault.from(), fault.to() + limits.recovery().toNanos());
        }
        for (HistoryEvent pause : history.pauses) {
            busy.add(pause.from(), pause.to());
        }
        for (Spans.Span rest : busy.gaps(begin, now)) {
            long inVain = waited.within(rest);
            if (inVain > limits.rest().toNanos()) {
                violations.add(new Violation(Rule.PROGRESS, name,
                        "rested for " + inVain / 1_000_000 + " ms while it was waited for, from " + rest.from() + " to "
                                + rest.to(),
                        requests.stream().filter(each -> each.invoked.from() < rest.to() && each.answeredAt() > rest.from()
                                || each.keptFrom() < rest.to() + 1 && each.keptUntil() > rest.from() - 1)
                                .limit(6).flatMap(each -> each.events().stream()).toList()));
            }
        }
    }
}
