/** Locks in Apache ZooKeeper, over a client of Apache Curator: the backend, which constructs and wires its parts. */
@NullMarked
package io.quarkiverse.lock.zookeeper;

import org.jspecify.annotations.NullMarked;
