package io.quarkiverse.lock.testkit.contract;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/**
 * A namespace in a Redis server that several tests share, with a proxy in front of the clients that ask for one.
 *
 * <pre>{@code
 * static final RedisServer SERVER = RedisServer.start();
 *
 * protected ContractEnvironment newEnvironment() {
 *     return new RedisContractEnvironment(SERVER, (host, port, namespace, owner) -> new RedisLockBackend(...));
 * }
 * }</pre>
 *
 * It relies on this layout: keys that contain the namespace are hashes; a field {@code h:<claim>} is a holder and begins with
 * its expiry in ms, {@code w:<claim>} is a waiter.
 */
public final class RedisContractEnvironment implements ContractEnvironment {

    /** Creates the backend under test. */
    @FunctionalInterface
    public interface BackendFactory {

        /** A new backend, which closes its own connections when it is closed. */
        LockBackend backend(String host, int port, String namespace, String owner);
    }

    private final @Nullable RedisServer server;
    private final String host;
    private final int port;
    private final BackendFactory factory;
    private final String namespace = "contract-" + UUID.randomUUID();
    private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();
    private @Nullable Class<? extends ChildBackend> childBackend;
    private List<Executor> eventLoops = List.of();
    private boolean keepsData;
    private volatile boolean paused;

    public RedisContractEnvironment(RedisServer server, BackendFactory factory) {
        this(server, server.host(), server.port(), factory);
    }

    /** A server that somebody else runs, so the tests cannot stop it. */
    public RedisContractEnvironment(String host, int port, BackendFactory factory) {
        this(null, host, port, factory);
    }

    private RedisContractEnvironment(@Nullable RedisServer server, String host, int port, BackendFactory factory) {
        this.server = server;
        this.host = host;
        this.port = port;
        this.factory = factory;
    }

    /**
     * For tests with separate JVMs.
     *
     * @param factory gets the host, the port and the namespace as its arguments
     */
    public RedisContractEnvironment childBackend(Class<? extends ChildBackend> factory) {
        this.childBackend = factory;
        return this;
    }

    /** The event loops of the simulated application. */
    public RedisContractEnvironment eventLoops(List<Executor> loops) {
        this.eventLoops = List.copyOf(loops);
        return this;
    }

    /** The server is configured to keep its data when it is stopped. */
    public RedisContractEnvironment keepsData() {
        this.keepsData = true;
        return this;
    }

    @Override
    public String name() {
        return server != null ? "redis" : "redis-elsewhere";
    }

    @Override
    public Set<Ability> abilities() {
        Set<Ability> all = EnumSet.complementOf(EnumSet.of(Ability.VIRTUAL_THREADS));
        if (server == null) {
            all.remove(Ability.PAUSE_STORE);
        }
        if (server == null || !keepsData) {
            all.remove(Ability.RESTART_STORE);
        }
        if (childBackend == null) {
            all.remove(Ability.CHILD_JVMS);
        }
        return all;
    }

    @Override
    public LockBackend backend(String owner) {
        return factory.backend(host, port, namespace, owner);
    }

    @Override
    public Link.Linked linked(String owner) {
        FaultProxy proxy = FaultProxy.to(host, port);
        proxies.add(proxy);
        return new Link.Linked(factory.backend(proxy.host(), proxy.port(), namespace, owner), new ProxiedLink(proxy));
    }

    @Override
    public void deleteGrant(String name) {
        try (TinyRedis redis = new TinyRedis(host, port)) {
            keys(redis).stream().filter(key -> key.contains(name)).forEach(key -> redis.command("DEL", key));
        }
    }

    @Override
    public void loseAllData() {
        try (TinyRedis redis = new TinyRedis(host, port)) {
            // not FLUSHALL: other keys may belong to other tests, or to somebody else
            redis.keys("*" + namespace + "*").forEach(key -> redis.command("DEL", key));
        }
    }

    @Override
    public void pauseStore() {
        paused = true;
        server.pause();
    }

    @Override
    public void resumeStore() {
        server.resume();
        paused = false;
    }

    @Override
    public void restartStore() {
        server.restart();
    }

    @Override
    public ChildBackend.Spec childBackend() {
        return new ChildBackend.Spec(childBackend, List.of(host, "" + port, namespace));
    }

    @Override
    public List<Executor> eventLoops() {
        return eventLoops;
    }

    @Override
    public List<String> leftovers() {
        List<String> left = new ArrayList<>();
        try (TinyRedis redis = new TinyRedis(host, port)) {
            long now = Long.parseLong(redis.list("TIME").get(0)) * 1000;
            for (String key : keys(redis)) {
                List<String> hash = redis.list("HGETALL", key);
                for (int i = 0; i < hash.size(); i += 2) {
                    if (isLive(hash.get(i), hash.get(i + 1), now)) {
                        left.add(key + " " + hash.get(i) + "=" + hash.get(i + 1));
                    }
                }
            }
        }
        return left;
    }

    private static boolean isLive(String field, String value, long now) {
        return field.startsWith("w:") || field.startsWith("a:") || field.startsWith("b:") || field.startsWith("o:")
                || (field.startsWith("h:") || field.startsWith("k:"))
                        && Long.parseLong(value.substring(0, value.indexOf('|'))) > now;
    }

    private List<String> keys(TinyRedis redis) {
        return redis.keys("*" + namespace + "*").stream().filter(key -> redis.text("TYPE", key).equals("hash")).toList();
    }

    @Override
    public void close() {
        proxies.forEach(FaultProxy::close);
        if (paused && server.isRunning()) { // otherwise every test would start a process for nothing
            resumeStore();
        }
    }

    @Override
    public boolean checksWhenConnected() {
        return true;
    }
}
