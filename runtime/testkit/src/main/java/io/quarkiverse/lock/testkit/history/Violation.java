package io.quarkiverse.lock.testkit.history;

import java.util.List;

/**
 * A violated rule in a history.
 *
 * @param rule which rule it breaks
 * @param name the lock; empty if none
 * @param what a human-readable description
 * @param events the evidence
 */
public record Violation(Rule rule, String name, String what, List<HistoryEvent> events) {

    /** The rules. */
    public enum Rule {
        /** No two holders were certain of one lock at the same time. */
        EXCLUSION,
        /** Fencing tokens are unique and rise in the order of the holds. */
        FENCING,
        /** A handle is not valid after its release, after its loss, or a second time; and it is lost at most once. */
        VALIDITY,
        /** Whatever is handed out stays valid for a while. */
        ARRIVAL,
        /** Writes behind a fence are in the order of their fencing tokens, and none is lost. */
        REGISTER,
        /** Every request is answered in time. */
        ANSWER,
        /** No lock is idle while somebody waits for it. */
        PROGRESS
    }

    @Override
    public String toString() {
        var text = new StringBuilder(rule + " '" + name + "': " + what);
        events.forEach(event -> text.append("\n    ").append(event));
        return text.toString();
    }
}
