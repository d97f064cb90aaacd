package io.quarkiverse.lock.zookeeper.errors;

import org.jspecify.annotations.Nullable;

/**
 * Why a session cannot be used until somebody changes something.
 *
 * @param format the format of what lies below the root, if that is the reason
 * @param shortTimeoutMillis the session timeout, if it is too short
 */
public record Refusal(int rc, String path, @Nullable String format, int shortTimeoutMillis) {
}
