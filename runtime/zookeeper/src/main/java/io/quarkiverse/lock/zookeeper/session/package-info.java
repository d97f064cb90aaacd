/**
 * The session with the servers: whether it can be used, who waits for it, and what becomes of requests without an answer.
 * Internal: public only for the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.zookeeper.session;

import org.jspecify.annotations.NullMarked;
