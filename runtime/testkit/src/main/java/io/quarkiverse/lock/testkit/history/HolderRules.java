package io.quarkiverse.lock.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/** Exclusion and fencing: both follow from the times in which holders were certain of one lock. */
final class HolderRules {

    private HolderRules() {
    }

    static void check(String name, List<Request> requests, List<Violation> violations) {
        List<Request> certain = new ArrayList<>(requests.stream().filter(Request::certain).toList());
        certain.sort(Comparator.comparingLong(Request::certainFrom));
        exclusion(name, certain, violations);
        unique(name, requests, violations);
        inOrderOfHolds(name, certain, violations);
        inOrderOfRequests(name, requests, violations);
    }

    private static void exclusion(String name, List<Request> certain, List<Violation> violations) {
        Request longest = null;
        for (Request next : certain) {
            if (longest != null && next.certainFrom() < longest.certainTo()) {
                long together = Math.min(longest.certainTo(), next.certainTo()) - next.certainFrom();
                violations.add(violation(Rule.EXCLUSION, name, "two holders for " + together / 1000 + " µs", longest, next));
            }
            if (longest == null || next.certainTo() > longest.certainTo()) {
                longest = next;
            }
        }
    }

    private static void unique(String name, List<Request> requests, List<Violation> violations) {
        Map<Long, Request> byFence = new HashMap<>();
        for (Request each : requests) {
            Request other = each.acquired == null ? null : byFence.put(each.acquired.value(), each);
            if (other != null) {
                violations.add(violation(Rule.FENCING, name, "one token for two holds", other, each));
            }
        }
    }

    private static void inOrderOfHolds(String name, List<Request> certain, List<Violation> violations) {
        for (int i = 1; i < certain.size(); i++) {
            Request before = certain.get(i - 1);
            Request after = certain.get(i);
            if (before.certainTo() <= after.certainFrom() && fence(before) > fence(after)) {
                violations.add(violation(Rule.FENCING, name, "a later holder has a smaller token", before, after));
            }
        }
    }

    /** Also for holds that nobody was certain of: what was granted before another was asked for has the smaller token. */
    private static void inOrderOfRequests(String name, List<Request> requests, List<Violation> violations) {
        List<Request> acquired = requests.stream().filter(each -> each.acquired != null).toList();
        List<Request> byAnswer = acquired.stream().sorted(Comparator.comparingLong(Request::answeredAt)).toList();
        List<Request> byRequest = acquired.stream()
                .sorted(Comparator.comparingLong((Request each) -> each.invoked.from())).toList();
        Request highest = null;
        int answered = 0;
        for (Request next : byRequest) {
            for (; answered < byAnswer.size() && byAnswer.get(answered).answeredAt() < next.invoked.from(); answered++) {
                Request each = byAnswer.get(answered);
                highest = highest == null || fence(each) > fence(highest) ? each : highest;
            }
            if (highest != null && fence(highest) > fence(next)) {
                violations.add(violation(Rule.FENCING, name, "asked for later, granted with a smaller token", highest, next));
            }
        }
    }

    private static long fence(Request request) {
        return request.acquired.value();
    }

    private static Violation violation(Rule rule, String name, String what, Request one, Request two) {
        var events = new ArrayList<>(one.events());
        events.addAll(two.events());
        return new Violation(rule, name, what, events);
    }
}
