/** How the ZooKeeper backend becomes part of a Quarkus application. */
@NullMarked
package io.quarkiverse.lock.zookeeper.runtime;

import org.jspecify.annotations.NullMarked;
