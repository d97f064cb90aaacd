/**
 * How lock nodes are named, what they contain, and in which order they hold the lock. Internal: public only for the other
 * packages of this module.
 */
@NullMarked
package io.quarkiverse.lock.zookeeper.nodes;

import org.jspecify.annotations.NullMarked;
