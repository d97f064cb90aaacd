package io.quarkiverse.lock.redis.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

import io.quarkus.deployment.builditem.Startable;

/**
 * Several servers in one container. Redis announces the same addresses to its clients and its other servers, so the servers
 * have the same ports inside the container and outside.
 */
final class RedisTopologyContainer extends GenericContainer<RedisTopologyContainer> implements Startable {

    private static final String READY = ".*The servers are ready.*\\n";
    /** A node of a cluster listens to the other nodes on a port so much higher. */
    private static final int BUS_OFFSET = 10_000;
    private static final int HIGHEST_PORT = 65_535;

    private final String script;
    private final int servers;
    private final int askedServers;
    private final boolean bus;
    private final List<Integer> ports = new ArrayList<>();

    /**
     * @param askedServers how many servers, counted from the last one, a client is told of, to find the others
     * @param bus whether each server has a second port
     */
    private RedisTopologyContainer(String image, String script, int servers, int askedServers, boolean bus) {
        super(DockerImageName.parse(image));
        this.script = script;
        this.servers = servers;
        this.askedServers = askedServers;
        this.bus = bus;
    }

    /**
     * A master, a replica and three sentinels.
     *
     * @param serverOptions of the master and the replica, with spaces between them
     */
    static RedisTopologyContainer sentinel(String image, String serverOptions) {
        return new RedisTopologyContainer(image, "sentinel.sh", 5, 3, false).withEnv("SERVER_OPTIONS", serverOptions);
    }

    /** Three masters. */
    static RedisTopologyContainer cluster(String image) {
        return new RedisTopologyContainer(image, "cluster.sh", 3, 3, true);
    }

    @Override
    protected void configure() {
        super.configure();
        ports.clear();
        ports.addAll(freePorts());
        ports.forEach(port -> addFixedExposedPort(port, port));
        if (bus) { // the nodes, too, find each other at the address of the container's host
            ports.forEach(port -> addFixedExposedPort(port + BUS_OFFSET, port + BUS_OFFSET));
        }
        List<String> command = new ArrayList<>(List.of("/servers.sh", address()));
        ports.forEach(port -> command.add(port.toString()));
        withCopyToContainer(Transferable.of(script(script)), "/servers.sh");
        withCreateContainerCmdModifier(create -> create.withEntrypoint("sh"));
        setCommand(command.toArray(String[]::new));
        waitingFor(Wait.forLogMessage(READY, 1));
    }

    private static byte[] script(String name) {
        try (InputStream script = RedisTopologyContainer.class.getResourceAsStream(name)) {
            return script.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sentinels and nodes announce addresses, not names. */
    private static String address() {
        try {
            return InetAddress.getByName(DockerClientFactory.instance().dockerHostIpAddress()).getHostAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Integer> freePorts() {
        List<Integer> free = new ArrayList<>();
        List<ServerSocket> sockets = new ArrayList<>(); // kept open until all ports are found, so that they differ
        try {
            while (free.size() < servers) {
                ServerSocket socket = new ServerSocket(0);
                sockets.add(socket);
                if (!bus || opens(socket.getLocalPort() + BUS_OFFSET, sockets)) {
                    free.add(socket.getLocalPort());
                }
            }
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return free;
    }

    private static boolean opens(int port, List<ServerSocket> sockets) {
        try {
            return port <= HIGHEST_PORT && sockets.add(new ServerSocket(port));
        } catch (IOException e) {
            return false; // something else has it
        }
    }

    /** Where a client starts. */
    @Override
    public String getConnectionInfo() {
        return ports.subList(ports.size() - askedServers, ports.size()).stream()
                .map(port -> "redis://" + address() + ':' + port)
                .collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        super.close();
    }
}
