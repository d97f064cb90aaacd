package io.quarkiverse.lock.zookeeper.session;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/** Receives the events of the connection from Curator: directly if possible, otherwise as Curator's connection states. */
final class ConnectionEvents implements CuratorListener, ConnectionStateListener {

    private final CuratorFramework curator;
    private final SessionTracker tracker;

    ConnectionEvents(CuratorFramework curator, SessionTracker tracker) {
        this.curator = curator;
        this.tracker = tracker;
    }

    void begin() {
        try {
            curator.getCuratorListenable().addListener(this);
        } catch (UnsupportedOperationException e) {
            curator.getConnectionStateListenable().addListener(this); // all that a client with a namespace offers
        }
        if (curator.getZookeeperClient().isConnected()) {
            tracker.up(false);
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
        if (event.getType() == CuratorEventType.CLOSING) {
            tracker.closing();
        } else if (event.getType() == CuratorEventType.WATCHED && event.getWatchedEvent().getType() == EventType.None) {
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
            case SyncConnected -> tracker.up();
            case Expired, Closed -> tracker.expired();
            case AuthFailed -> {
                tracker.down();
                tracker.authenticationFailed();
            }
            case SaslAuthenticated -> {
            }
            default -> tracker.down();
        }
    }
}
