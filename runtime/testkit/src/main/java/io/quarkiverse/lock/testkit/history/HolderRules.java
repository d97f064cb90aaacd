package io.quarkiverse.lock.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/** Exclusion and fencing: both follow from the periods in which holders were certain of one lock. */
final class HolderRules {

    private HolderRules() {
    }

    static void check(String name, List<Request> requests, List<Violation> violations) {
        List<Request> certain = new ArrayList<>(requests.stream().filter(Request::certain).toList());
        certain.sort(Comparator.comparingLong(Request::certainFrom));
        exclusion(name, certain, violations);
        unique(name, requests, violations);
        outlived(name, requests, certain, violations);
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

    /** Nobody is certain any more once a greater token has been handed out: that token belongs to a later hold. */
    private static void outlived(String name, List<Request> requests, List<Request> certain, List<Violation> violations) {
        List<Request> byAnswer = requests.stream().filter(each -> each.acquired != null)
                .sorted(Comparator.comparingLong(Request::answeredAt)).toList();
        List<Request> byEnd = certain.stream().sorted(Comparator.comparingLong(Request::certainTo)).toList();
        Request highest = null;
        int answered = 0;
        for (Request each : byEnd) {
            for (; answered < byAnswer.size() && byAnswer.get(answered).answeredAt() < each.certainTo(); answered++) {
                Request next = byAnswer.get(answered);
                highest = highest == null || fence(next) > fence(highest) ? next : highest;
            }
            if (highest != null && fence(highest) > fence(each) && !together(highest, each)) {
                violations.add(violation(Rule.FENCING, name, "certain when a greater token was out", highest, each));
            }
        }
    }

    /** Already reported as broken exclusion. */
    private static boolean together(Request one, Request other) {
        return one.certain() && one.certainFrom() < other.certainTo() && other.certainFrom() < one.certainTo();
    }

    /** Also for holds that nobody was certain of: a grant before another request has the smaller token. */
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
