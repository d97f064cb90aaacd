package io.quarkiverse.lock.zookeeper;

import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;

import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** A JVM whose requests are recorded, and held back on demand. */
final class Asking implements AutoCloseable {

    final Requests requests = new Requests();
    final Jvm jvm;

    Asking(String connectString, Duration session, ZooKeeperLockOptions options) {
        CuratorFramework client = requests.client(connectString, session);
        jvm = new Jvm(client, options, client::close);
    }

    /** The requests about that lock, without paths. */
    List<String> asked(String name) {
        return requests.sent().stream().filter(each -> each.contains('/' + name))
                .map(each -> each.substring(0, each.indexOf(' '))).toList();
    }

    @Override
    public void close() {
        jvm.close();
    }
}
