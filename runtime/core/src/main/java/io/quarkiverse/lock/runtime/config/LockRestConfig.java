package io.quarkiverse.lock.runtime.config;

import java.time.Duration;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/**
 * Locks: how REST endpoints respond when one fails. It is here because quarkus-lock-rest has no part that runs in the
 * build.
 */
@ConfigMapping(prefix = "quarkus.lock.rest")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface LockRestConfig {

    /** With {@code quarkus-lock-rest}: the response status when a lock is busy. */
    @WithDefault("423")
    int busyStatus();

    /** With {@code quarkus-lock-rest}: the response status when a lock is lost while the method runs. */
    @WithDefault("409")
    int lostStatus();

    /** With {@code quarkus-lock-rest}: the response status when the lock backend is unreachable. */
    @WithDefault("503")
    int unavailableStatus();

    /**
     * With {@code quarkus-lock-rest}: when a client that found a lock busy may try again. Sent in the {@code Retry-After}
     * header. The retried request must be idempotent if the method can do anything before it asks for the lock.
     */
    @WithDefault("1s")
    Duration retryAfter();

    /**
     * With {@code quarkus-lock-rest}: whether responses name the lock and its holder. Names may contain data not meant for
     * every client.
     */
    @WithDefault("false")
    boolean details();
}
