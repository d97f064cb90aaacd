package io.quarkiverse.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * CDI event, fired asynchronously: somebody asks this JVM to give a lock back soon, see
 * {@link LockManager#requestRelease}, or the application is stopping. It is still held.
 *
 * <pre>{@code
 * void finish(@ObservesAsync LockReleaseRequested event) { ... }
 * }</pre>
 *
 * @param name the lock's name
 * @param template the {@link Locked} template it was made from, or {@code null} for a lock taken through {@link LockManager}
 * @param fencingToken the hold's fencing token
 * @param held how long it has been held
 */
public record LockReleaseRequested(String name, @Nullable String template, long fencingToken, Duration held) {
}
