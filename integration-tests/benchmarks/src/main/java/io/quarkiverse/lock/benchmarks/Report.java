package io.quarkiverse.lock.benchmarks;

import java.util.List;
import java.util.Map;

/** Two Markdown tables: the measurements, and what they are worth. */
final class Report {

    private static final List<Metric> COLUMNS = List.of(Metric.CYCLES, Metric.P50, Metric.P99, Metric.P999, Metric.MAX,
            Metric.CROSSED_P99, Metric.THREAD_SHARE, Metric.JVM_SHARE, Metric.LOAD);

    private final StringBuilder figures = new StringBuilder("| work | who |");
    private final StringBuilder bars = new StringBuilder("| work | bar | measured | |\n| --- | --- | --- | --- |\n");

    Report() {
        COLUMNS.forEach(column -> figures.append(' ').append(column.label).append(" |"));
        figures.append("\n| --- | --- |").append(" --- |".repeat(COLUMNS.size())).append('\n');
    }

    void add(String work, List<Bar> limits, Map<String, Sample> results) {
        results.forEach((side, sample) -> {
            figures.append("| ").append(work).append(" | ").append(side).append(" |");
            for (Metric column : COLUMNS) {
                Double value = sample.get(column);
                figures.append(' ').append(value == null ? "" : column.print(value)).append(" |");
            }
            figures.append('\n');
        });
        for (Bar bar : limits) {
            Double measured = bar.measured(results);
            bars.append("| ").append(work).append(" | ").append(bar.text()).append(" | ")
                    .append(measured == null ? "-" : bar.print(measured)).append(" | ")
                    .append(measured != null && bar.passed(measured) ? "PASS" : "FAIL").append(" |\n");
        }
    }

    @Override
    public String toString() {
        return figures + "\n" + bars;
    }
}
