package io.quarkiverse.lock.testkit.history;

import java.util.List;

/**
 * Something in a history that must not be.
 *
 * @param rule which rule it breaks
 * @param name the lock; empty where it is none
 * @param what for people
 * @param events from which it follows
 */
public record Violation(Rule rule, String name, String what, List<HistoryEvent> events) {

    /** What has to hold. */
    public enum Rule {
        /** No two holders were certain of one lock at the same time. */
        EXCLUSION,
        /** Fencing tokens are unique and rise in the order of the holds. */
        FENCING,
        /** A handle is valid neither after its release, nor after its loss, nor again; and is lost at most once. */
        VALIDITY,
        /** What is handed out is good for a while. */
        ARRIVAL,
        /** What is written behind a fence is written in the order of the fencing tokens, and nothing of it is lost. */
        REGISTER,
        /** Every request has an answer in time. */
        ANSWER,
        /** No lock rests while somebody waits for it. */
        PROGRESS
    }

    @Override
    public String toString() {
        var text = new StringBuilder(rule + " '" + name + "': " + what);
        events.forEach(event -> text.append("\n    ").append(event));
        return text.toString();
    }
}
