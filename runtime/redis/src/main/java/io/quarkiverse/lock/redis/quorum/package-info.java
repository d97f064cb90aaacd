/**
 * Locks that a majority of independent servers must know, and that no server grants alone. Internal: types are public here only
 * for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.redis.quorum;

import org.jspecify.annotations.NullMarked;
