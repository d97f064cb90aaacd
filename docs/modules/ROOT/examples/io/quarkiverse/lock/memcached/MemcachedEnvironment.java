package io.quarkiverse.lock.memcached;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.contract.Ability;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.Jvm;
import io.quarkiverse.lock.testkit.contract.Link;
import io.quarkiverse.lock.testkit.contract.ProxiedLink;
import io.quarkiverse.lock.testkit.contract.WaitingClaims;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/**
 * A small memcached for each test. With {@code -Dlock.test.memcached=host:port}, a namespace for each test on a running one,
 * which can neither be paused nor made to lose its data.
 */
final class MemcachedEnvironment implements ContractEnvironment {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final String namespace = UUID.randomUUID().toString();
    private final WaitingClaims waiting = new WaitingClaims();
    private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();
    private final @Nullable TinyMemcached own;
    private final InetSocketAddress address;

    private MemcachedEnvironment(@Nullable TinyMemcached own, InetSocketAddress address) {
        this.own = own;
        this.address = address;
    }

    static MemcachedEnvironment start() throws IOException {
        String running = System.getProperty("lock.test.memcached", "");
        if (running.isEmpty()) {
            TinyMemcached own = TinyMemcached.start();
            return new MemcachedEnvironment(own, own.address());
        }
        int colon = running.lastIndexOf(':');
        return new MemcachedEnvironment(null,
                new InetSocketAddress(running.substring(0, colon), Integer.parseInt(running.substring(colon + 1))));
    }

    // tag::environment[]
    @Override
    public String name() { // <1>
        return own != null ? "memcached" : "memcached-running";
    }

    @Override
    public Set<Ability> abilities() { // <2>
        Set<Ability> all = EnumSet.of(Ability.CUT, Ability.NETWORK, Ability.STORE_LEASES, Ability.OPERATORS);
        if (own != null) {
            all.addAll(EnumSet.of(Ability.DELETE_GRANT, Ability.LOSE_DATA, Ability.PAUSE_STORE, Ability.LIST));
        }
        return all;
    }

    @Override
    public Set<Feature> features() { // <3>
        return EnumSet.of(Feature.ASYNC, Feature.LEASE);
    }

    @Override
    public LockBackend backend(String owner) { // <4>
        return backend(address, owner);
    }

    private LockBackend backend(InetSocketAddress at, String owner) {
        return waiting.in(MemcachedStore.backend(at, namespace, owner, TIMEOUT));
    }
    // end::environment[]

    @Override
    public Link.Linked linked(String owner) {
        FaultProxy proxy = FaultProxy.to(address.getHostString(), address.getPort());
        proxies.add(proxy);
        return new Link.Linked(backend(new InetSocketAddress(proxy.host(), proxy.port()), owner),
                new ProxiedLink(proxy, name -> MemcachedStore.key(namespace, name)));
    }

    /** Memcached does not know. */
    @Override
    public int waiters(Jvm at, String name) {
        return waiting.of(name);
    }

    @Override
    public void deleteGrant(String name) {
        own.delete(MemcachedStore.key(namespace, name));
    }

    @Override
    public void loseAllData() {
        own.deleteAll();
    }

    @Override
    public void pauseStore() {
        own.pause(true);
    }

    @Override
    public void resumeStore() {
        own.pause(false);
    }

    @Override
    public List<String> leftovers() {
        return own == null ? List.of() : own.keys().stream().filter(key -> !key.endsWith(".fence")).toList();
    }

    @Override
    public void close() throws IOException {
        proxies.forEach(FaultProxy::close);
        if (own != null) {
            own.close();
        }
    }
}
