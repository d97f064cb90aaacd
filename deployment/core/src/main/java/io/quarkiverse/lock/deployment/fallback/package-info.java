/**
 * The method that a busy lock calls instead: found by its name, and compiled to a call.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.deployment.fallback;

import org.jspecify.annotations.NullMarked;
