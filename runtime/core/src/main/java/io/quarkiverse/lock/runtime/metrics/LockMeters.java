package io.quarkiverse.lock.runtime.metrics;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** The names of all meters and tags, which the guide lists. */
final class LockMeters {

    static final String WAIT = "quarkus.lock.wait";
    static final String HOLD = "quarkus.lock.hold";
    static final String ACQUIRED = "quarkus.lock.acquired";
    static final String HANDED_OVER = "quarkus.lock.handed.over";
    static final String BUSY = "quarkus.lock.busy";
    static final String FAILED = "quarkus.lock.failed";
    static final String SUSPECTED = "quarkus.lock.suspected";
    static final String LOST = "quarkus.lock.lost";
    static final String RETRIED = "quarkus.lock.retried";
    static final String RELEASED_LATE = "quarkus.lock.released.late";
    static final String HELD = "quarkus.lock.held";
    static final String WAITING = "quarkus.lock.waiting";
    static final String OLDEST_HOLD = "quarkus.lock.oldest.hold";
    static final String CONNECTED = "quarkus.lock.connected";

    static final String MANAGER = "manager";
    static final String BACKEND = "backend";
    static final String TEMPLATE = "template";
    static final String OUTCOME = "outcome";

    /** In place of the template, for locks taken through a {@code LockManager}: their names are not bounded. */
    static final String NO_TEMPLATE = "programmatic";

    static final Duration[] WAIT_BUCKETS = { Duration.ofMillis(1), Duration.ofMillis(5), Duration.ofMillis(10),
            Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(500), Duration.ofSeconds(1),
            Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(1) };
    static final Duration[] HOLD_BUCKETS = { Duration.ofMillis(1), Duration.ofMillis(10), Duration.ofMillis(50),
            Duration.ofMillis(100), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(5),
            Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofMinutes(1), Duration.ofMinutes(5),
            Duration.ofMinutes(15), Duration.ofHours(1) };

    private LockMeters() {
    }

    /** The value of the tag {@link #TEMPLATE}. */
    static String tag(@Nullable String template) {
        return template == null ? NO_TEMPLATE : template;
    }
}
