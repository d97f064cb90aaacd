/**
 * The methods and beans with {@code @Locked}.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.deployment.method;

import org.jspecify.annotations.NullMarked;
