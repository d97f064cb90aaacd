/**
 * Locks of which a majority of independent servers has to know, and that none of them grants alone. Internal: types are public
 * here only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.redis.quorum;

import org.jspecify.annotations.NullMarked;
