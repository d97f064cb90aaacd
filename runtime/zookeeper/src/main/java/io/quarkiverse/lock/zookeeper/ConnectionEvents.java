package io.quarkiverse.lock.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/** Hears from Curator what happens to the connection: at once where it can, otherwise when Curator has thought about it. */
final class ConnectionEvents implements CuratorListener, ConnectionStateListener {

    private final CuratorFramework curator;
    private final SessionTracker link;

    ConnectionEvents(CuratorFramework curator, SessionTracker link) {
        this.curator = curator;
        this.link = link;
    }

    void begin() {
        try {
            curator.getCuratorListenable().addListener(this);
        } catch (UnsupportedOperationException e) {
            curator.getConnectionStateListenable().addListener(this); // a client with another's namespace hears this only
        }
        if (curator.getZookeeperClient().isConnected()) {
            link.up();
        }
    }

    void end() {
        try {
            curator.getCuratorListenable().removeListener(this);
        } catch (UnsupportedOperationException e) {
            curator.getConnectionStateListenable().removeListener(this);
        }
    }

    @Override
    public void eventReceived(CuratorFramework client, CuratorEvent event) {
        if (event.getType() == CuratorEventType.WATCHED && event.getWatchedEvent().getType() == EventType.None) {
            changed(event.getWatchedEvent().getState());
        }
    }

    @Override
    public void stateChanged(CuratorFramework client, ConnectionState state) {
        changed(switch (state) {
            case CONNECTED, RECONNECTED -> KeeperState.SyncConnected;
            case LOST -> KeeperState.Expired;
            default -> KeeperState.Disconnected;
        });
    }

    private void changed(KeeperState state) {
        switch (state) {
            case SyncConnected -> link.up();
            case Expired, Closed -> link.over();
            case AuthFailed -> {
                link.down();
                link.notLetIn();
            }
            case SaslAuthenticated -> {
            }
            default -> link.down();
        }
    }
}
