/**
 * The build steps, which put the other packages together.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.deployment.step;

import org.jspecify.annotations.NullMarked;
