package io.quarkiverse.lock.runtime.config;

import java.time.Duration;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Locks: what REST endpoints answer when one fails them. Here, since quarkus-lock-rest has no part that runs in the build. */
@ConfigMapping(prefix = "quarkus.lock.rest")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface LockRestConfig {

    /** With {@code quarkus-lock-rest}: the status of an answer whose lock was busy. */
    @WithDefault("423")
    int busyStatus();

    /** With {@code quarkus-lock-rest}: the status of an answer whose lock was lost while the method ran. */
    @WithDefault("409")
    int lostStatus();

    /** With {@code quarkus-lock-rest}: the status of an answer whose lock backend was not to be reached. */
    @WithDefault("503")
    int unavailableStatus();

    /**
     * With {@code quarkus-lock-rest}: when a client may try again that found a lock busy. Sent in the header
     * {@code Retry-After}. What is tried again has to be idempotent if the method can do anything before it asks for the lock.
     */
    @WithDefault("1s")
    Duration retryAfter();

    /**
     * With {@code quarkus-lock-rest}: whether answers say which lock it was, and who has it. Names may hold what is not for
     * every client.
     */
    @WithDefault("false")
    boolean details();
}
