package io.quarkiverse.lock.zookeeper.deployment;

import java.io.IOException;
import java.util.OptionalInt;

import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkus.deployment.builditem.Startable;

/** A ZooKeeper in the process that builds the application. Its data are gone when it ends. */
final class InProcessServer implements Startable {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");

    private final OptionalInt port;
    private @Nullable TestingServer server;

    InProcessServer(OptionalInt port) {
        this.port = port;
    }

    @Override
    public void start() {
        // The server sets its own, for all threads of this process
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        try {
            server = new TestingServer(new InstanceSpec(null, port.orElse(-1), -1, -1, true, -1), true);
            LOG.infof("A ZooKeeper for development runs in this process at %s", server.getConnectString());
        } catch (Exception e) {
            throw new IllegalStateException("No ZooKeeper could be started in this process; set "
                    + "quarkus.lock.zookeeper.devservices.port to a free one, or quarkus.lock.zookeeper.connect-string", e);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Override
    public String getConnectionInfo() {
        if (server == null) {
            throw new IllegalStateException("Not started");
        }
        return server.getConnectString();
    }

    @Override
    public @Nullable String getContainerId() {
        return null;
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
            server = null;
        }
    }
}
