package io.quarkiverse.lock.engine.deadlock;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.quarkiverse.lock.engine.state.Refusal;
import io.quarkiverse.lock.text.PrintableName;

/** The messages about callers that wait for each other, in one JVM or in several. */
final class CircleText {

    private CircleText() {
    }

    /** Each caller of a circle holds what the previous one waits for. */
    static <T> String of(List<T> circle, Function<T, String> who, Function<T, String> waitsFor) {
        List<String> edges = new ArrayList<>();
        for (int i = 0; i < circle.size(); i++) {
            T before = circle.get((i + circle.size() - 1) % circle.size());
            T each = circle.get(i);
            edges.add(who.apply(each) + " holds '" + PrintableName.of(waitsFor.apply(before)) + "' and waits for '"
                    + PrintableName.of(waitsFor.apply(each)) + "'");
        }
        return String.join(", ", edges);
    }

    /** @param callers how to refer to them */
    static Refusal refusal(String name, String callers, String circle) {
        return Refusal.deadlock("callers that wait for what this one holds: " + circle, "Lock '" + PrintableName.of(name)
                + "' was not acquired because of a deadlock: " + callers + " wait for each other, and this call fails so that "
                + "the others can continue: " + circle
                + ". Take the locks in the same order everywhere, or all at once (@Locked with all of the "
                + "names, LockManager.all)");
    }
}
