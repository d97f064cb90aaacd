package io.quarkiverse.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * CDI event, fired asynchronously: this JVM got a lock.
 *
 * <pre>{@code
 * void log(@ObservesAsync LockAcquired event) { ... }
 * }</pre>
 *
 * @param name the lock's name
 * @param template the {@link Locked} template it was made from, or {@code null} for a lock taken through {@link LockManager}
 * @param fencingToken the hold's fencing token
 * @param waited how long it was waited for
 */
public record LockAcquired(String name, @Nullable String template, long fencingToken, Duration waited) {
}
