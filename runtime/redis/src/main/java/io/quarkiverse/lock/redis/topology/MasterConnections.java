package io.quarkiverse.lock.redis.topology;

import java.util.List;
import java.util.stream.Stream;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.redis.connection.ConnectionListeners;
import io.quarkiverse.lock.redis.connection.ReconnectingConnection;

/**
 * All connections to one master: what one of them finds out counts for the others. The end of one may be the first sign of a
 * new master, and the rest would stay with the former one, since a demoted master keeps its connections. Event loop only.
 */
final class MasterConnections {

    private static final Logger LOG = Logger.getLogger(MasterConnections.class);

    private final List<CommandConnection> calls;
    private final ReconnectingConnection messages;
    private final String properties;
    private final ConnectionListeners listeners;
    private boolean replacing;

    /** @param properties the prefix of the configuration properties of the connections */
    MasterConnections(List<CommandConnection> calls, ReconnectingConnection messages, String properties,
            ConnectionListeners listeners) {
        this.properties = properties;
        this.listeners = listeners;
        this.calls = calls;
        this.messages = messages;
    }

    /** Whether connections are being ended here: then the end of one says nothing about the server. */
    boolean replacing() {
        return replacing;
    }

    /** The server is not the master, or not any more. */
    void replace(Throwable why) {
        end(() -> all().forEach(each -> each.replace(why)));
    }

    /** Like {@link #replace}, where a connection works but its server was found to be the wrong one. */
    void leave(Throwable why) {
        LOG.infof("Connecting to Redis again (%shosts): %s", properties, why.getMessage());
        replace(why);
        listeners.disconnected();
    }

    /**
     * A connection for calls has ended. The next one checks where the connection for messages leads
     * ({@link SubscriptionProbe}): giving that up for nothing would cost messages.
     */
    void replaceCalls(Throwable why) {
        end(() -> calls.forEach(each -> each.replace(why)));
    }

    /** Until {@link #resume} there are none. */
    void suspend(Throwable why) {
        end(() -> all().forEach(each -> each.suspend(why)));
        listeners.disconnected();
    }

    void resume() {
        all().forEach(ReconnectingConnection::resume);
    }

    /** Whether requests for locks wait while all else goes on. */
    void asksLater(boolean later) {
        calls.forEach(each -> each.asksLater(later));
    }

    private Stream<ReconnectingConnection> all() {
        return Stream.concat(calls.stream(), Stream.of(messages));
    }

    private void end(Runnable deed) {
        replacing = true;
        deed.run();
        replacing = false;
    }
}
