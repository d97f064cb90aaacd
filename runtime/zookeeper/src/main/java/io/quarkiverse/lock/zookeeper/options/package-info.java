/** What an application chooses for locks in ZooKeeper. Internal, but for {@link ZooKeeperLockOptions}. */
@NullMarked
package io.quarkiverse.lock.zookeeper.options;

import org.jspecify.annotations.NullMarked;
