/** Locks that are part of the caller's transaction, a separate backend; internal. */
@NullMarked
package io.quarkiverse.lock.jpa.pessimistic;

import org.jspecify.annotations.NullMarked;
