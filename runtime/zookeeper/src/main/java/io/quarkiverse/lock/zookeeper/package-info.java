/** Locks in Apache ZooKeeper, over a client of Apache Curator. */
@NullMarked
package io.quarkiverse.lock.zookeeper;

import org.jspecify.annotations.NullMarked;
