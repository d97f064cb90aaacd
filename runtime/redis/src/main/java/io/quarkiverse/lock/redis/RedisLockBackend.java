package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.redis.claim.ClaimRegistry;
import io.quarkiverse.lock.redis.claim.MultiClaim;
import io.quarkiverse.lock.redis.claim.PendingClaim;
import io.quarkiverse.lock.redis.claim.PendingWithdrawals;
import io.quarkiverse.lock.redis.claim.RedisGrant;
import io.quarkiverse.lock.redis.operation.AdminCalls;
import io.quarkiverse.lock.redis.operation.GrantDowngrades;
import io.quarkiverse.lock.redis.operation.GrantReleases;
import io.quarkiverse.lock.redis.operation.GrantRenewals;
import io.quarkiverse.lock.redis.operation.NameListing;
import io.quarkiverse.lock.redis.operation.NoteCalls;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.CallUni;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.topology.ClusterRoute;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.spi.WaitNotes;
import io.quarkiverse.lock.spi.support.ListedNames;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.vertx.core.Context;

/**
 * Locks in Redis 6.2 or later, or Valkey.
 *
 * <ol>
 * <li>One hash per name holds the last fence, the holders, the queue of waiting claims and the tombstones. Each step below is
 * one script, which reads and changes the hash atomically, by the server's clock alone.</li>
 * <li>A claim asks ({@code acquire.lua}). A free name that nobody waits for is granted, for the claim's lease, under the fence
 * {@code max(last + 1, server time in µs)}. Otherwise the claim is queued. The holder's JVM is notified of the first waiter,
 * and again about once a second while waiters repeat their requests. No script reads waiters that it does not change.</li>
 * <li>Several names that lie on one node are requested in one call ({@code together.lua}). If all are free and nobody waits
 * for any, all are granted; otherwise none is, and they are requested one by one.</li>
 * <li>A release ({@code release.lua}) makes the first waiting claim the holder, for at most three seconds, and publishes that
 * to the channel of its JVM. If the channel has no subscriber, that JVM is dead, and the next claim is taken. The JVM checks
 * the message against what it knows ({@code PendingClaim}), hands the lock to its caller and confirms it
 * ({@code renew.lua}).</li>
 * <li>A message can be lost and a JVM can die, so a waiting claim asks again when the holder's lease may have ended, and at
 * least every second. Each such request also hands on what has expired. A claim that has not asked for five seconds is
 * dropped.</li>
 * <li>Renewal extends a hold that carries the claim's token, and never recreates one that is gone. Its replies, like all
 * others, carry the number of waiters.</li>
 * <li>A request without a reply is repeated under the same token until it is answered, so every script may run twice. A claim
 * that ends while one of its requests may still be in flight leaves a tombstone, which refuses that request.</li>
 * <li>A request for the release ({@code ask.lua}) is noted with each hold and published to the holders' JVMs. A JVM that
 * misses the message finds it in the reply to its next renewal.</li>
 * <li>A downgrade ({@code downgrade.lua}) writes another mode into the hold and hands the name to the readers that wait ahead
 * of the next writer, as a release does.</li>
 * <li>A forced release asks for the newest fence ({@code newest.lua}), and takes the name from holders that are no newer
 * ({@code force.lua}), since it may come late. It is published to their JVMs, too. Each renewal says where messages to its
 * holder go, because the hold may have been granted before its JVM had subscribed.</li>
 * <li>A list is built with {@code SCAN}, in small steps on one master after another, and a look at each name found
 * ({@link NameListing}).</li>
 * <li>After a lost connection, for commands or for messages, every waiting claim asks again and every grant is renewed.</li>
 * </ol>
 *
 * Limits: a Redis that loses its data, through a restart without persistence, a fail-over to a replica that lags behind, or
 * eviction, grants locks that are still held. The fences still rise, unless the new server's clock is behind; the former holder
 * finds out when it renews. With a grace ({@link RedisLockOptions#graceLease}) this happens only after eviction: a script that
 * finds the marker of another life of the server grants nothing for the length of the longest lease, and renewals restore what
 * was lost ({@code marker.lua}). They extend it only once a former master has stopped.
 *
 * <p>
 * Sources: the Redis documentation, "Distributed Locks with Redis" (random token, compare and delete, fencing) and "Redis
 * Pub/Sub" (messages are delivered at most once); Redisson's {@code RedissonFairLock} and {@code LockRenewalScheduler}, which
 * wake all waiters of a JVM by a channel per lock and renew in batches; etcd's {@code concurrency.Mutex}, for asking again
 * after each wait.
 */
public final class RedisLockBackend implements LockBackend {

    public static final Set<Feature> FEATURES = Set.of(Feature.ASYNC, Feature.LEASE, Feature.SHARED, Feature.LIMIT,
            Feature.HOLD_AT_LEAST, Feature.AFTER_LOSS_DELAY, Feature.REQUEST_RELEASE, Feature.DOWNGRADE, Feature.LIST);

    private static final int MOST_TOGETHER = 500;

    private final RedisConnections connections;
    private final RedisLockOptions options;
    private final String namespace;
    private final ScriptArguments arguments;
    private final ErrorMessages errors;
    private final Duration operationTimeout;
    private final long longestLeaseNanos;
    private final AdminCalls admin;
    private final ListedNames listed = new ListedNames(RedisLockBackend.class);
    private final WaitNotes notes;
    private @Nullable Parts parts;
    private volatile boolean closed;

    /** The parts that need the engine's listener and time; created when the backend is started. */
    private record Parts(LockTime time, ClaimRegistry registry, PendingWithdrawals withdrawals, GrantReleases releases,
            GrantRenewals renewals, GrantDowngrades downgrades) {
    }

    /**
     * @param connections shared by the backends of a JVM
     * @param namespace prefixes the names
     * @param owner a description of this JVM for people
     */
    public RedisLockBackend(RedisConnections connections, String namespace, String owner) {
        this.connections = connections;
        this.options = connections.options();
        this.operationTimeout = options.operationTimeout();
        this.longestLeaseNanos = options.longestLeaseNanos();
        this.namespace = namespace;
        this.arguments = new ScriptArguments(options, namespace, owner, connections.marker());
        this.errors = new ErrorMessages(options);
        this.admin = new AdminCalls(connections, arguments, errors);
        this.notes = new Notes();
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        var withdrawals = new PendingWithdrawals(connections, arguments);
        var registry = new ClaimRegistry(listener, time, withdrawals);
        parts = new Parts(time, registry, withdrawals,
                new GrantReleases(arguments, errors, time, registry),
                new GrantRenewals(connections, arguments, time, registry),
                new GrantDowngrades(arguments, errors, time, registry));
        connections.attach(registry);
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        if (closed) {
            return Uni.createFrom().failure(() -> errors.closed(claim.name()));
        }
        if (claim.leaseNanos() > longestLeaseNanos) {
            return Uni.createFrom().failure(errors.tooLong(claim.name(), claim.leaseNanos()));
        }
        Parts by = parts();
        return new PendingClaim(connections, arguments, errors, by.time, by.registry, by.withdrawals, claim);
    }

    /** Few enough names for Redis to be done in a few ms; in a cluster, all in one slot, since a script runs on one node. */
    @Override
    public boolean takesTogether(List<String> names) {
        if (closed || names.size() > MOST_TOGETHER) {
            return false;
        }
        if (options.cluster()) {
            int slot = ClusterRoute.slot(arguments.key(names.get(0)));
            for (int i = 1; i < names.size(); i++) {
                if (ClusterRoute.slot(arguments.key(names.get(i))) != slot) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public Uni<List<? extends Grant>> acquireTogether(List<Claim> claims) {
        Claim first = claims.get(0);
        if (first.leaseNanos() > longestLeaseNanos) {
            return Uni.createFrom().failure(errors.tooLong(first.name(), first.leaseNanos()));
        }
        Parts by = parts();
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super List<? extends Grant>> subscriber) {
                new MultiClaim(connections, arguments, errors, by.time, by.registry, by.withdrawals, claims, subscriber)
                        .subscribe();
            }
        };
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        return renew(grants, false);
    }

    @Override
    public Uni<Renewal> shorten(Grant grant) {
        return renew(List.of(grant), true);
    }

    private Uni<Renewal> renew(List<? extends Grant> grants, boolean exactly) {
        var ours = new ArrayList<RedisGrant>(grants.size());
        for (Grant grant : grants) {
            ours.add((RedisGrant) grant);
        }
        return call(outcome -> outcome.complete(new Renewal(List.of(), List.of(), ours)),
                outcome -> parts().renewals.renew(ours, exactly, outcome));
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return call(grant.name(), outcome -> parts().releases.release((RedisGrant) grant, outcome));
    }

    @Override
    public Uni<Void> releaseAfter(Grant grant, long nanos) {
        return call(grant.name(), outcome -> parts().releases.releaseAfter((RedisGrant) grant, nanos, outcome));
    }

    @Override
    public Uni<Boolean> downgrade(Grant grant) {
        return call(grant.name(), outcome -> parts().downgrades.downgrade((RedisGrant) grant, outcome));
    }

    @Override
    public boolean tellsOfWaiters() {
        return connections.listens();
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return call(name, outcome -> admin.inspect(name, outcome));
    }

    @Override
    public Uni<Void> ready(String name) {
        return call(name, outcome -> admin.ready(name, outcome));
    }

    @Override
    public Uni<LockQuery.Page> list(LockQuery query) {
        return call(outcome -> outcome.fail(errors.closed(ListedNames.of(query))),
                outcome -> new NameListing(connections, arguments, errors, admin, listed, query, outcome).begin());
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return call(name, outcome -> admin.forceRelease(name, outcome));
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return call(name, outcome -> admin.requestRelease(name, outcome));
    }

    @Override
    public WaitNotes waitNotes() {
        return notes;
    }

    /** Kept in a separate hash for each name. */
    private final class Notes implements WaitNotes {

        private final NoteCalls calls = new NoteCalls(arguments, errors);

        @Override
        public Uni<Boolean> note(Claim waiting, String note) {
            return call(waiting.name(), outcome -> calls.note(waiting, note, outcome));
        }

        @Override
        public Uni<Line> line(String name) {
            return call(name, outcome -> calls.line(name, outcome));
        }
    }

    private <T> Uni<T> call(String name, Function<Outcome<T>, Call> maker) {
        return call(outcome -> outcome.fail(errors.closed(name)), outcome -> connections.send(maker.apply(outcome)));
    }

    private <T> Uni<T> call(Consumer<Outcome<T>> whenClosed, Consumer<Outcome<T>> onLoop) {
        return new CallUni<>(outcome -> {
            if (closed) {
                whenClosed.accept(outcome);
            } else {
                connections.run(() -> onLoop.accept(outcome));
            }
        });
    }

    @Override
    public Set<Feature> features() {
        return FEATURES;
    }

    @Override
    public @Nullable Duration longestLease() {
        return options.graceLease();
    }

    @Override
    public Duration operationTimeout() {
        return operationTimeout;
    }

    @Override
    public void beforeCheckpoint() {
        awaitWithdrawals();
    }

    @Override
    public void afterRestore() {
        connections.restored();
    }

    /** Waits for withdrawals under way, for at most the operation timeout; on an event loop it does not wait. */
    @Override
    public void close() {
        if (closed || parts == null) {
            return;
        }
        awaitWithdrawals();
        parts.withdrawals.close();
        closed = true;
        connections.detach(parts.registry);
    }

    /** On an event loop it does not wait. */
    private void awaitWithdrawals() {
        if (!Context.isOnEventLoopThread()) {
            parts().withdrawals.await(operationTimeout());
        }
    }

    @Override
    public String toString() {
        return "redis:" + namespace;
    }

    RedisConnections connections() {
        return connections;
    }

    ScriptArguments arguments() {
        return arguments;
    }

    ClaimRegistry registry() {
        return parts().registry;
    }

    PendingWithdrawals withdrawals() {
        return parts().withdrawals;
    }

    private Parts parts() {
        if (parts == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return parts;
    }
}
