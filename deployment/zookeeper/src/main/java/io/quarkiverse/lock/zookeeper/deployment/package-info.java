/** Offers the ZooKeeper backend to the application's build, and a server to its development. */
@NullMarked
package io.quarkiverse.lock.zookeeper.deployment;

import org.jspecify.annotations.NullMarked;
