package io.quarkiverse.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * CDI event, fired asynchronously: a wait in this JVM ended without the lock.
 *
 * <pre>{@code
 * void log(@ObservesAsync LockBusy event) { ... }
 * }</pre>
 *
 * @param name the lock's name
 * @param template the {@link Locked} template it was made from, or {@code null} for a lock taken through {@link LockManager}
 * @param waited how long it was waited for
 */
public record LockBusy(String name, @Nullable String template, Duration waited) {
}
