package io.quarkiverse.lock.spi.support;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * A lock backend over a {@link LockStore}. It offers exclusive locks, each with its own lease, to blocking and asynchronous
 * callers, and no optional feature beyond that.
 *
 * <p>
 * A claim waits in its JVM and asks the store again and again, with growing pauses. So the first JVM to ask after a release
 * gets the name, whichever came first; a waiter gets a free name after a pause, not at once; and nobody sees how many wait in
 * other JVMs. Inside a JVM the engine still serves callers in their order. A holder notices with its next renewal that its
 * grant is gone.
 *
 * <pre>{@code
 * LockBackend backend = new StoreLockBackend("memcached", store, Duration.ofSeconds(4), Duration.ofMillis(250));
 * }</pre>
 */
public final class StoreLockBackend implements LockBackend {

    private final String name;
    private final LockStore store;
    private final Duration operationTimeout;
    private final Duration longestPause;
    private @Nullable LockTime time;

    /**
     * @param name the backend's name in the configuration and in messages
     * @param store closed with this backend
     * @param operationTimeout the maximum time of one operation of the store
     * @param longestPause a waiting claim asks at least this often: the mean time to a hand-over is half of it
     */
    public StoreLockBackend(String name, LockStore store, Duration operationTimeout, Duration longestPause) {
        this.name = name;
        this.store = store;
        this.operationTimeout = operationTimeout;
        this.longestPause = longestPause;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        this.time = time;
    }

    private LockTime time() {
        return Objects.requireNonNull(time, "not started");
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        // Not an emitter: that drops an item, and with it the grant, when the subscriber cancels meanwhile
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super Answer> subscriber) {
                var asking = new PolledClaim(store, time(), claim, subscriber, longestPause, operationTimeout);
                subscriber.onSubscribe(asking);
                asking.ask();
            }
        };
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        Queue<Grant> renewed = new ConcurrentLinkedQueue<>();
        Queue<Grant> lost = new ConcurrentLinkedQueue<>();
        Queue<Grant> unknown = new ConcurrentLinkedQueue<>();
        List<Uni<Boolean>> all = grants.stream()
                .map(grant -> store.renew(grant.name(), grant.claim().token(), grant.leaseNanos())
                        .map(had -> had ? renewed.add(grant) : lost.add(grant))
                        .onFailure().recoverWithItem(() -> unknown.add(grant)))
                .toList();
        Uni<?> done = all.isEmpty() ? Uni.createFrom().nullItem() : Uni.join().all(all).andFailFast();
        return done.map(any -> new Renewal(List.copyOf(renewed), List.copyOf(lost), List.copyOf(unknown)));
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return Uni.createFrom().deferred(() -> {
            boolean lostIfGone = ((StoreGrant) grant).firstRelease() && grant.keptAt(time().nanoTime());
            return store.release(grant.name(), grant.claim().token()).map(had -> {
                if (!had && lostIfGone) {
                    throw new LockLostException(grant.name(), "it was gone from " + name + " before its release", null);
                }
                return null;
            });
        });
    }

    /** Only its next request shows that another JVM waits, and this JVM does not see that request. */
    @Override
    public boolean tellsOfWaiters() {
        return false;
    }

    /** Shows only the holder: how many wait in other JVMs is unknown. */
    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return store.inspect(name).map(found -> found.map(holder -> new LockInfo(name, List.of(holder), 0)));
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return store.forceRelease(name);
    }

    @Override
    public Set<Feature> features() {
        return EnumSet.of(Feature.ASYNC, Feature.LEASE);
    }

    @Override
    public Duration operationTimeout() {
        return operationTimeout;
    }

    @Override
    public void close() {
        store.close();
    }
}
