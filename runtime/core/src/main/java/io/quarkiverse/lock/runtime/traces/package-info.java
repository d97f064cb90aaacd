/** The spans of locks, where OpenTelemetry is part of the application. */
@NullMarked
package io.quarkiverse.lock.runtime.traces;

import org.jspecify.annotations.NullMarked;
