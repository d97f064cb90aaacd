/**
 * The methods and beans that {@code @Locked} is on.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.deployment.method;

import org.jspecify.annotations.NullMarked;
