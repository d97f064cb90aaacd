package io.quarkiverse.lock.zookeeper.claim;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;

/** When a waiting node certainly exists. */
@DisplayNameGeneration(FaultDisplayNames.class)
class OwnNodeWatchTest {

    private static final String PATH = "/root/name/node";

    private final OwnNodeWatch watch = new OwnNodeWatch(null);

    private void answered(Code code) {
        watch.processResult(code.intValue(), PATH, null, null, null);
    }

    @Test
    void nodeExistsOnceItHasBeenRead() {
        assertThat(watch.exists()).isFalse();
        answered(Code.NONODE);
        assertThat(watch.exists()).isFalse();
        answered(Code.OK);
        assertThat(watch.exists()).isTrue();
    }

    /** The events of the next connection come in any order. */
    @Test
    @Fault(347)
    void fault347_nodeIsUncertainAfterAConnectionLoss() {
        answered(Code.OK);
        watch.process(new WatchedEvent(EventType.None, KeeperState.Disconnected, null));
        assertThat(watch.exists()).isFalse();
        watch.process(new WatchedEvent(EventType.None, KeeperState.SyncConnected, null));
        assertThat(watch.exists()).isFalse();
    }

    @Test
    void nodeIsUncertainAfterTheWatchFires() {
        answered(Code.OK);
        watch.process(new WatchedEvent(EventType.NodeDataChanged, KeeperState.SyncConnected, PATH));
        assertThat(watch.exists()).isFalse();
    }
}
