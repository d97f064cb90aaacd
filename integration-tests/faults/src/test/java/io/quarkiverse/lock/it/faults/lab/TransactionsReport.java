package io.quarkiverse.lock.it.faults.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The results of all sittings with locks in transactions, as a part of a page in AsciiDoc. */
final class TransactionsReport {

    private final String name;
    private final List<TransactionsSitting> sittings;

    TransactionsReport(String name, List<TransactionsSitting> sittings) {
        this.name = name;
        this.sittings = sittings;
    }

    /** Writes it into the directory, under the name that the guide expects. */
    void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("faults-" + name + ".adoc"), text());
    }

    String text() {
        var outcomes = new TreeMap<String, Long>();
        var faults = new TreeMap<String, Integer>();
        for (TransactionsSitting each : sittings) {
            each.outcomes().forEach((what, times) -> outcomes.merge(what, times, Long::sum));
            each.done().forEach((what, times) -> faults.merge(what, times, Integer::sum));
        }
        var page = new StringBuilder();
        page.append("[#faults-").append(name).append("]\n=== `").append(name).append("`\n\n");
        page.append("[cols=\"2,1\"]\n|===\n");
        row(page, "JVMs, each with so many threads", Laboratory.JVMS + ", " + Stand.THREADS);
        row(page, "processors, Java", Runtime.getRuntime().availableProcessors() + ", " + Runtime.version().feature());
        row(page, "sittings", sittings.size());
        row(page, "time", Math.round(sittings.stream().mapToDouble(TransactionsSitting::seconds).sum()) + " s");
        row(page, "holds whose transaction was committed",
                sittings.stream().mapToLong(TransactionsSitting::committed).sum());
        row(page, "faults", faults.values().stream().mapToInt(Integer::intValue).sum());
        row(page, "violations", sittings.stream().mapToInt(each -> each.violations().size()).sum());
        row(page, "other problems", sittings.stream().mapToInt(each -> each.problems().size()).sum());
        page.append("|===\n\n");
        counts(page, "What became of a request, as far as it was told before its JVM was killed", outcomes);
        counts(page, "Fault", faults);
        page.append("Again: `-Dlock.lab.backends=").append(name).append(" -Dlock.lab.seconds=…` with `-Dlock.lab.seed=` ")
                .append(String.join(", ", sittings.stream().map(each -> "`" + each.seed() + "`").toList())).append('\n');
        sittings.stream().filter(each -> !each.fine())
                .forEach(each -> page.append("\n----\n").append(each.complaints()).append("\n----\n"));
        return page.toString();
    }

    private static void counts(StringBuilder page, String what, Map<String, ? extends Number> counts) {
        page.append("[cols=\"3,1\"]\n|===\n|").append(what).append(" |Times\n\n");
        counts.forEach((each, times) -> row(page, each, times));
        page.append("|===\n\n");
    }

    private static void row(StringBuilder page, String what, Object value) {
        page.append('|').append(what).append(" |").append(value).append('\n');
    }
}
