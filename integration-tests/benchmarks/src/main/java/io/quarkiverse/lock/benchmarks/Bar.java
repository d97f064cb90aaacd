package io.quarkiverse.lock.benchmarks;

import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A target for this extension.
 *
 * @param limit a multiple of the value of {@code reference}, or an absolute value
 * @param atLeast otherwise at most
 */
record Bar(Metric metric, @Nullable String reference, double limit, boolean atLeast) {

    static final String OURS = Library.OURS.label();

    static Bar atLeast(double factor, Metric metric, String reference) {
        return new Bar(metric, reference, factor, true);
    }

    static Bar atMost(double factor, Metric metric, String reference) {
        return new Bar(metric, reference, factor, false);
    }

    static Bar atLeast(double limit, Metric metric) {
        return new Bar(metric, null, limit, true);
    }

    static Bar atMost(double limit, Metric metric) {
        return new Bar(metric, null, limit, false);
    }

    /** The measured multiple or value; {@code null} if it was not measured. */
    @Nullable
    Double measured(Map<String, Sample> results) {
        Double ours = value(results, OURS);
        if (reference == null || ours == null) {
            return ours;
        }
        Double theirs = value(results, reference);
        return theirs == null ? null : ours / theirs;
    }

    private @Nullable Double value(Map<String, Sample> results, String side) {
        Sample sample = results.get(side);
        return sample == null ? null : sample.get(metric);
    }

    boolean passed(double measured) {
        return atLeast ? measured >= limit : measured <= limit;
    }

    String text() {
        return metric.label + (atLeast ? " at least " : " at most ") + print(limit)
                + (reference == null ? "" : " " + reference);
    }

    String print(double value) {
        return reference == null ? metric.print(value) : String.format(Locale.ROOT, "%.2f x", value);
    }
}
