/**
 * The method called when a lock is busy: found by name, and compiled to a call.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.deployment.fallback;

import org.jspecify.annotations.NullMarked;
