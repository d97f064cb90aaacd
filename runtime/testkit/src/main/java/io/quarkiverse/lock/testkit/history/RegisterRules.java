package io.quarkiverse.lock.testkit.history;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.testkit.history.Violation.Rule;

/** What holders have counted behind a fence: in order, with nothing lost, and open to the current holder. */
final class RegisterRules {

    private RegisterRules() {
    }

    static void writes(String name, List<HistoryEvent> written, List<Violation> violations) {
        List<HistoryEvent> inOrder = written.stream().sorted(Comparator.comparingLong(HistoryEvent::to)).toList();
        for (int i = 1; i < inOrder.size(); i++) {
            HistoryEvent before = inOrder.get(i - 1);
            HistoryEvent after = inOrder.get(i);
            if (after.hold() < before.hold()) {
                violations.add(new Violation(Rule.REGISTER, name, "a smaller token got through", List.of(before, after)));
            }
            if (after.value() != before.value() + 1) {
                violations.add(new Violation(Rule.REGISTER, name, "an increment is lost", List.of(before, after)));
            }
        }
    }

    static void rejections(Requests requests, List<Violation> violations) {
        if (requests.rejected.isEmpty()) {
            return;
        }
        Map<String, Map<Long, Request>> byToken = new HashMap<>();
        for (HistoryEvent rejected : requests.rejected) {
            Request request = byToken.computeIfAbsent(rejected.name(), name -> byToken(requests.byName.get(name)))
                    .get(rejected.hold());
            if (request != null && request.certainFrom() < rejected.from() && request.certainTo() > rejected.to()) {
                violations.add(new Violation(Rule.REGISTER, rejected.name(), "the holder was turned away",
                        concat(request.events(), rejected)));
            }
        }
    }

    private static Map<Long, Request> byToken(List<Request> requests) {
        Map<Long, Request> byToken = new HashMap<>();
        if (requests != null) {
            requests.stream().filter(each -> each.acquired != null)
                    .forEach(each -> byToken.put(each.acquired.value(), each));
        }
        return byToken;
    }

    private static List<HistoryEvent> concat(List<HistoryEvent> events, HistoryEvent last) {
        events.add(last);
        return events;
    }
}
