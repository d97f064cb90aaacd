/**
 * Single connections to a server, for commands or for messages, each made again when it ends. Internal: types are public here
 * only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.redis.connection;

import org.jspecify.annotations.NullMarked;
