package io.quarkiverse.lock.memcached;

import java.net.InetSocketAddress;
import java.time.Duration;

import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;

/** Creates the backend from its configuration. */
@Singleton
public class MemcachedLockBackendProvider implements LockBackendProvider {

    static final String SERVER = "lock.memcached.server";

    private final InetSocketAddress server;

    MemcachedLockBackendProvider(@ConfigProperty(name = SERVER, defaultValue = "localhost:11211") String server) {
        int colon = server.lastIndexOf(':');
        this.server = InetSocketAddress.createUnresolved(server.substring(0, colon),
                Integer.parseInt(server.substring(colon + 1)));
    }

    @Override
    public String name() {
        return MemcachedStore.NAME; // <1>
    }

    @Override
    public LockBackend create(String namespace, String owner) {
        return MemcachedStore.backend(server, namespace, owner, Duration.ofSeconds(1)); // <2>
    }

    @Override
    public String place() {
        return server.getHostString() + ':' + server.getPort(); // <3>
    }
}
