package io.quarkiverse.lock.benchmarks;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures all workloads, or those whose names contain a part given by {@code -Dbench.only}, and prints the results as
 * Markdown.
 *
 * <ul>
 * <li>{@code -Dbench.rounds}: how many turns each side gets, default 5</li>
 * <li>{@code -Dbench.seconds}: how long a turn lasts, default 3</li>
 * <li>{@code -Dbench.only}: parts of names, separated by commas; those after a minus sign are left out</li>
 * <li>{@code -Dbench.sides}: only these sides of each, separated by commas, and no bars, which need all sides</li>
 * </ul>
 */
public final class Benchmarks {

    private Benchmarks() {
    }

    public static void main(String[] arguments) {
        int status = 1;
        try {
            run();
            status = 0;
        } catch (Throwable e) {
            e.printStackTrace();
        } finally {
            System.exit(status); // libraries leave threads behind
        }
    }

    private static void run() {
        int rounds = Integer.getInteger("bench.rounds", 5);
        long nanos = (long) (Double.parseDouble(System.getProperty("bench.seconds", "3")) * TimeUnit.SECONDS.toNanos(1));
        String[] only = System.getProperty("bench.only", "").split(",");
        String chosen = System.getProperty("bench.sides");
        var report = new Report();
        Workloads.all().forEach((name, workload) -> {
            if (!wanted(name, only)) {
                return;
            }
            System.err.println(name + " ...");
            // A separate server for each, as a workload leaves the records of its names behind for a while
            try (Server server = Server.forWorkload(name); Workload opened = workload.apply(Setup.full(server))) {
                List<String> sides = chosen == null ? opened.sides() : List.of(chosen.split(","));
                report.add(name, chosen == null ? opened.bars() : List.of(), Rounds.run(opened, sides, rounds, nanos));
            }
        });
        System.out.println("JDK " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, medians of " + rounds + " rounds of " + nanos / 1e9 + " s\n\n" + report);
    }

    private static boolean wanted(String name, String[] only) {
        boolean all = true;
        for (String part : only) {
            if (part.startsWith("-")) {
                if (name.contains(part.substring(1))) {
                    return false;
                }
            } else {
                all = false;
                if (name.contains(part)) {
                    return true;
                }
            }
        }
        return all;
    }
}
