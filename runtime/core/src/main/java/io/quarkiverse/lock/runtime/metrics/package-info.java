/** The meters of locks, where Micrometer is part of the application. */
@NullMarked
package io.quarkiverse.lock.runtime.metrics;

import org.jspecify.annotations.NullMarked;
