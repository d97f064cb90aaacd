package io.quarkiverse.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * CDI event, fired asynchronously: this JVM gave a lock back.
 *
 * <pre>{@code
 * void log(@ObservesAsync LockReleased event) { ... }
 * }</pre>
 *
 * @param name the lock's name
 * @param template the {@link Locked} template it was made from, or {@code null} for a lock taken through {@link LockManager}
 * @param fencingToken the hold's fencing token
 * @param held how long it was held
 */
public record LockReleased(String name, @Nullable String template, long fencingToken, Duration held) {
}
