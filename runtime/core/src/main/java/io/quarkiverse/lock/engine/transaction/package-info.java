/** Locks that live in the caller's transaction. Internal to the engine. */
@NullMarked
package io.quarkiverse.lock.engine.transaction;

import org.jspecify.annotations.NullMarked;
