/**
 * Which server a call goes to: the only one, the master that sentinels name, or a node of a cluster. Internal: types are public
 * here only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.redis.topology;

import org.jspecify.annotations.NullMarked;
