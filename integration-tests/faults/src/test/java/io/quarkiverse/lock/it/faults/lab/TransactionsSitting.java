package io.quarkiverse.lock.it.faults.lab;

import java.util.List;
import java.util.Map;

/**
 * What came of JVMs whose locks live in transactions.
 *
 * @param committed holds whose transaction was committed
 * @param outcomes of all requests, but those of JVMs that were killed before they could tell
 * @param done how often each fault was
 */
record TransactionsSitting(long seed, double seconds, long committed, Map<String, Long> outcomes, Map<String, Integer> done,
        List<String> violations, List<String> problems) {

    boolean fine() {
        return violations.isEmpty() && problems.isEmpty() && committed > 0;
    }

    /** What went wrong, for people. */
    String complaints() {
        return "Seed " + seed + ", after " + Math.round(seconds) + " s and " + committed + " holds: " + violations.size()
                + " violations\n" + String.join("\n", violations.subList(0, Math.min(3, violations.size()))) + "\n"
                + String.join("\n", problems);
    }
}
