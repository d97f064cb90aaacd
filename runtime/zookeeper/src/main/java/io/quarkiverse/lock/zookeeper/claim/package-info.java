/**
 * A claim's way to the lock: its node, its place in the queue, and the watch on the node before it. Internal: public only for
 * the other packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.zookeeper.claim;

import org.jspecify.annotations.NullMarked;
