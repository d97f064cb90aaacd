package io.quarkiverse.lock.benchmarks;

import java.util.Locale;

/** What is measured. Times are nanoseconds. */
enum Metric {

    CYCLES("cycles/s", ""),
    P50("p50", "ms"),
    P99("p99", "ms"),
    P999("p99.9", "ms"),
    MAX("max", "ms"),
    CROSSED_P99("p99 of waits that crossed JVMs", "ms"),
    THREAD_SHARE("thread min/max", "share"),
    JVM_SHARE("JVM min/max", "share"),
    LOAD("load", "share"),
    SCRIPT_P50("script call p50", "ms"),
    HAND_OVER("server time of a hand-over", "ms"),
    POKE("server time of asking again", "ms"),
    POKES("all who wait, of the server's time", "share"),
    MORE_ROUND_TRIPS("p50 beyond a free lock, in round trips", "share"),
    MORE_P99("p99 beyond a free lock", "ms"),
    HEAP_PER_HOLD("heap per hold", "B"),
    THREADS("more threads", ""),
    ERRORS("errors", ""),
    POOL_TIMEOUTS("pool time-outs", ""),
    STATEMENTS("statements per sweep", ""),
    REQUESTS("requests per release", "exact"),
    IDLE_STATEMENTS("statements/s while nothing happens", ""),
    OF_TWO_P50("hand-over between 2 JVMs p50", "ms"),
    OF_TWO_P99("hand-over between 2 JVMs p99", "ms"),
    OF_TEN_P50("hand-over between 10 JVMs p50", "ms"),
    OF_TEN_P99("hand-over between 10 JVMs p99", "ms"),
    IDLE_REQUESTS("requests of an idle application per minute", ""),
    WAKE_UPS("its wake-ups per minute", ""),
    MORE_IDLE_REQUESTS("requests per minute beyond the client's", ""),
    MORE_WAKE_UPS("wake-ups per minute beyond the client's", ""),
    SESSIONS("more sessions", ""),
    LEFTOVERS("leftovers", ""),
    HEAP_GROWTH("heap growth", "B"),
    REDIS_GROWTH("growth of Redis' memory", "B");

    final String label;
    private final String unit;

    Metric(String label, String unit) {
        this.label = label;
        this.unit = unit;
    }

    String print(double value) {
        return switch (unit) {
            case "ms" -> String.format(Locale.ROOT, "%.3f ms", value / 1e6);
            case "exact" -> String.format(Locale.ROOT, "%.2f", value);
            case "share" -> String.format(Locale.ROOT, "%.2f", value);
            case "B" -> String.format(Locale.ROOT, "%,.0f B", value);
            default -> String.format(Locale.ROOT, "%,.0f", value);
        };
    }
}
