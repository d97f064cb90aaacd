/** What an application chooses for locks in ZooKeeper. Internal, except {@link ZooKeeperLockOptions}. */
@NullMarked
package io.quarkiverse.lock.zookeeper.options;

import org.jspecify.annotations.NullMarked;
