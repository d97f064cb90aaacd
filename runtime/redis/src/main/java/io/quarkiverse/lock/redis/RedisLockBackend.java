package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;

/**
 * Locks in Redis 6.2 or later, or Valkey.
 *
 * <ol>
 * <li>One hash per name holds the last fence, the holder, the queue of waiting claims and the tombstones; each step below is
 * one script, which sees and changes it atomically, by the server's clock alone.</li>
 * <li>A claim asks ({@code acquire.lua}). A free name that nobody waits for is granted, for the claim's lease, under the fence
 * {@code max(last + 1, server time in µs)}. Otherwise the claim is queued; the holder's JVM is told of the first that waits,
 * and
 * again whenever one repeats its request.</li>
 * <li>Several names are asked for in one call ({@code together.lua}) where they are on one node: all are granted if all are
 * free
 * and nobody waits for any, otherwise none, and they are asked for one by one.</li>
 * <li>A release ({@code release.lua}) makes the first waiting claim the holder, for three seconds at most, and publishes that
 * to the
 * one channel of its JVM. No subscriber: that JVM is dead, the next claim is taken. The JVM checks the message against what it
 * knows ({@link PendingClaim}), hands the lock to its caller and confirms it ({@code renew.lua}).</li>
 * <li>A message can be lost and a JVM can die, so a waiting claim asks again when the holder's lease may have ended, and at
 * least every second. Whoever asks also hands on what has expired. One that has not asked for five seconds is dropped.</li>
 * <li>Renewal extends what carries the claim's token, and never makes anew what is gone. Its replies, like the others, say how
 * many wait.</li>
 * <li>A request without a reply is repeated under the same token until it is answered: all scripts may be run twice. A claim
 * that ends while a request of it may still be on its way leaves a tombstone, which refuses that request.</li>
 * <li>A request for the release ({@code ask.lua}) is noted with each hold and published to the holders' JVMs. One that does not
 * hear it has it in the reply to its next renewal.</li>
 * <li>A forced release ({@code force.lua}) is published to the holders' JVMs, too. Each renewal says where messages to its
 * holder go, as it may have been granted before its JVM listened.</li>
 * <li>After a lost connection, to the server or to its messages, every waiting claim asks again and every grant is renewed.
 * </li>
 * </ol>
 *
 * What it cannot do: a Redis that loses its data, by a restart without persistence, a failover to a replica that lags behind,
 * or eviction, grants again what is still held. The fences keep rising then, unless the new server's clock is behind; the
 * former holder finds out when it renews.
 *
 * <p>
 * Sources: the Redis documentation, "Distributed Locks with Redis" (random token, compare and delete, fencing) and "Redis
 * Pub/Sub" (messages are delivered at most once); Redisson's {@code RedissonFairLock} and {@code LockRenewalScheduler}, which
 * wake all waiters of a JVM by a channel per lock and renew in batches; etcd's {@code concurrency.Mutex}, for asking again
 * after each wait.
 */
public final class RedisLockBackend implements LockBackend {

    private final RedisConnections link;
    private final String namespace;
    private final String owner;
    private final Keys keys;
    private final ErrorMessages explain;
    private final String retention;
    private final String cluster;

    private final ClaimRegistry known = new ClaimRegistry(this);

    /** On the loop only, like the next one. */
    private int withdrawals;
    private @Nullable CountDownLatch lastWithdrawal;
    private volatile boolean closed;
    private @Nullable BackendListener listener;
    private @Nullable LockTime time;

    /**
     * @param link shared by the backends of a JVM
     * @param namespace prefixes the names
     * @param owner describes this JVM to people
     */
    public RedisLockBackend(RedisConnections link, String namespace, String owner) {
        this.link = link;
        this.namespace = namespace;
        this.owner = owner;
        this.keys = new Keys(link.options().keyPrefix(), namespace);
        this.explain = new ErrorMessages(link.options());
        this.retention = String.valueOf(link.options().retention().toMillis());
        this.cluster = link.options().cluster() ? "1" : "0";
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public void start(BackendListener toTell, LockTime lockTime) {
        listener = toTell;
        time = lockTime;
        link.attach(known);
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        return closed ? Uni.createFrom().failure(() -> explain.closed(claim.name())) : new ClaimUni(this, claim);
    }

    /**
     * In a cluster only names of one slot: a script runs on one node. And not more than are renewed in one call: Redis is to be
     * done in a few ms.
     */
    @Override
    public boolean takesTogether(List<String> names) {
        if (closed || names.size() > RenewCalls.BATCH) {
            return false;
        }
        if (link.options().cluster()) {
            int slot = ClusterRoute.slot(keys.of(names.get(0)));
            for (int i = 1; i < names.size(); i++) {
                if (ClusterRoute.slot(keys.of(names.get(i))) != slot) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public Uni<List<? extends Grant>> acquireTogether(List<Claim> claims) {
        return new MultiClaim(this, claims);
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
        if (closed) {
            return Uni.createFrom().item(new Renewal(List.of(), List.of(), ours));
        }
        return new CallUni<>(outcome -> link.run(() -> new RenewCalls(this, outcome, exactly).run(ours)));
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return call(grant.name(), outcome -> new ReleaseCall(this, (RedisGrant) grant, outcome));
    }

    @Override
    public Uni<Void> releaseAfter(Grant grant, long nanos) {
        return call(grant.name(), outcome -> new DelayedReleaseCall(this, (RedisGrant) grant, nanos, outcome));
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return call(name, outcome -> new InspectCall(this, name, outcome));
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return call(name, outcome -> new ForceReleaseCall(this, name, outcome));
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return call(name, outcome -> new RequestReleaseCall(this, name, outcome));
    }

    private <T> Uni<T> call(String name, Function<Outcome<T>, Call> maker) {
        return new CallUni<>(outcome -> {
            if (closed) {
                outcome.fail(explain.closed(name));
            } else {
                link.run(() -> link.send(maker.apply(outcome)));
            }
        });
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.ASYNC, Feature.LEASE, Feature.SHARED, Feature.LIMIT, Feature.HOLD_AT_LEAST,
                Feature.AFTER_LOSS_DELAY, Feature.REQUEST_RELEASE);
    }

    @Override
    public Duration operationTimeout() {
        return link.options().operationTimeout();
    }

    /** Waits for claims that are being withdrawn, at most the operation timeout; on an event loop it does not wait. */
    @Override
    public void close() {
        if (closed || listener == null) {
            return;
        }
        var withdrawn = new CountDownLatch(1);
        link.run(() -> {
            lastWithdrawal = withdrawn;
            if (withdrawals == 0) {
                withdrawn.countDown();
            }
        });
        if (!Context.isOnEventLoopThread()) {
            try {
                withdrawn.await(operationTimeout().toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        closed = true;
        link.detach(known);
    }

    @Override
    public String toString() {
        return "redis:" + namespace;
    }

    RedisConnections link() {
        return link;
    }

    Keys keys() {
        return keys;
    }

    ErrorMessages explain() {
        return explain;
    }

    LockTime time() {
        if (time == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return time;
    }

    BackendListener listener() {
        if (listener == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return listener;
    }

    String owner() {
        return owner;
    }

    String retention() {
        return retention;
    }

    String cluster() {
        return cluster;
    }

    /** In a cluster the commands of one write would have to be for one slot. */
    boolean mayGoTogether() {
        return !link.options().cluster();
    }

    /** One more than asked for: the server counts in whole milliseconds, and must not be the first whose lease ends. */
    String millis(long nanos) {
        return String.valueOf(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
    }

    boolean closed() {
        return closed;
    }

    ClaimRegistry known() {
        return known;
    }

    /** @param ticket the last one of the name when it was so, or the fence of the grant, which was one then */
    void waiters(RedisGrant grant, boolean some, long ticket) {
        if (grant.isNewest(some, ticket)) {
            listener().waiters(grant, some);
        }
    }

    void withdraw(String key, Claim claim, Attempts attempts) {
        withdrawals++;
        new Withdrawal(this, key, claim, attempts).run();
    }

    void withdrawn() {
        if (--withdrawals == 0 && lastWithdrawal != null) {
            lastWithdrawal.countDown();
        }
    }
}
