/**
 * The build steps, which connect the other packages.
 * Internal: no other extension uses it.
 */
@NullMarked
package io.quarkiverse.lock.deployment.step;

import org.jspecify.annotations.NullMarked;
