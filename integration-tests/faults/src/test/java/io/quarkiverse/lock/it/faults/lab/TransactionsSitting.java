package io.quarkiverse.lock.it.faults.lab;

import java.util.List;
import java.util.Map;

/**
 * The outcome of a run of JVMs whose locks live in transactions.
 *
 * @param committed holds whose transaction was committed
 * @param outcomes the outcomes of all requests, except in JVMs that were killed before they could report
 * @param done how often each fault occurred
 */
record TransactionsSitting(long seed, double seconds, long committed, Map<String, Long> outcomes, Map<String, Integer> done,
        List<String> violations, List<String> problems) {

    boolean fine() {
        return violations.isEmpty() && problems.isEmpty() && committed > 0;
    }

    /** A human-readable list of what went wrong. */
    String complaints() {
        return "Seed " + seed + ", after " + Math.round(seconds) + " s and " + committed + " holds: " + violations.size()
                + " violations\n" + String.join("\n", violations.subList(0, Math.min(3, violations.size()))) + "\n"
                + String.join("\n", problems);
    }
}
