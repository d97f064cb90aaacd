package io.quarkiverse.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * CDI event, fired asynchronously: this JVM lost a lock that it had not released.
 *
 * <pre>{@code
 * void log(@ObservesAsync LockLost event) { ... }
 * }</pre>
 *
 * @param name the lock's name
 * @param template the {@link Locked} template it was made from, or {@code null} for a lock taken through {@link LockManager}
 * @param fencingToken the hold's fencing token
 * @param held how long it was held
 * @param reason why
 */
public record LockLost(String name, @Nullable String template, long fencingToken, Duration held, String reason) {
}
