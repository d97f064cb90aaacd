package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.redis.script.CallUni;
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
 * Locks in an odd number of independent Redis servers, a majority of which must know each lock: any minority may crash, lose
 * its data, or be cut off.
 *
 * <ol>
 * <li>A claim asks all servers for the name under its token ({@code quorum-ask.lua}). A server where it is free reserves it and
 * answers with the highest fence it knows, or its clock in µs if that is higher.</li>
 * <li>With a majority, it writes the next fence to the servers that reserved the name ({@code quorum-write.lua}), and has its
 * grant once a majority has written it. So any two grants share a server that knows the earlier one's fence. With a single
 * step, in which each server counts, two grants can get the same fence.</li>
 * <li>A claim without a majority gives back what it has at once ({@code quorum-free.lua}) and asks again. No server grants
 * anything by itself: it notes the waiters in the order in which they began, and notifies the first one when the name is free.
 * That waiter has precedence for a moment. All servers use the same order, so two claims that have split the servers soon
 * agree.</li>
 * <li>A grant lasts for its lease, counted from before the first request was sent, and is renewed at all servers
 * ({@code quorum-renew.lua}): a majority must still have it. Then servers that do not know it are told
 * ({@code quorum-remind.lua}). It is released at all servers.</li>
 * <li>A server that was started, or lost its data, may have forgotten what it granted. It detects this by a marker among its
 * data, and takes part in nothing for the longest lease of all JVMs ({@code quorum-life.lua}). The clock as the floor of fences
 * makes up for the fences that it has forgotten.</li>
 * <li>A request without a reply may be run late. The end of its attempt then leaves a tombstone, which refuses it.</li>
 * </ol>
 *
 * It cannot survive the loss of a majority, or server clocks that jump ahead. It has no {@code SHARED} locks and no limits.
 *
 * <p>
 * Sources: the Redis documentation, "Distributed Locks with Redis" (Redlock: the majority, the time that counts from before the
 * first request, the delayed restart); Kleppmann, "How to do distributed locking" (fencing tokens); Lamport, "Paxos made
 * simple" (a majority that is asked before a majority that is told). {@code docs/models/Quorum.tla} is its model.
 */
public final class QuorumLockBackend implements LockBackend {

    public static final Set<Feature> FEATURES = Set.of(Feature.ASYNC, Feature.LEASE, Feature.HOLD_AT_LEAST,
            Feature.AFTER_LOSS_DELAY, Feature.REQUEST_RELEASE, Feature.LIST);

    private final QuorumServers servers;
    private final String namespace;
    private final QuorumKeys keys;
    private final QuorumErrors errors;
    private final AskCalls calls;
    private final Returns returns;
    private final QuorumQuestions questions;
    private final ListedNames listed = new ListedNames(QuorumLockBackend.class);
    private final WaitNotes waitNotes;
    private final QuorumReadiness readiness;
    private @Nullable Parts parts;
    private volatile boolean closed;

    /** The parts that need the engine's listener and time; created when the backend is started. */
    private record Parts(LockTime time, Claims claims, QuorumReleases releases, QuorumRenewals renewals) {
    }

    /**
     * @param servers shared by the backends of a JVM
     * @param namespace prefixes the names
     * @param owner a description of this JVM for people
     */
    public QuorumLockBackend(QuorumServers servers, String namespace, String owner) {
        this.servers = servers;
        this.namespace = namespace;
        this.keys = new QuorumKeys(servers.options(), servers.refusals(), servers.channel(), namespace, owner);
        this.errors = new QuorumErrors(servers.options(), keys, servers.all().size(), servers.majority());
        this.calls = new AskCalls(keys);
        this.returns = new Returns(servers, keys);
        this.questions = new QuorumQuestions(servers, keys, errors);
        this.waitNotes = new Notes();
        this.readiness = new QuorumReadiness(servers, keys, errors);
    }

    @Override
    public String name() {
        return "redis";
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        var claims = new Claims(listener, servers.all().size() - servers.majority(), time,
                grant -> parts().renewals.remindSoon(grant));
        parts = new Parts(time, claims, new QuorumReleases(servers, returns, errors, time, claims),
                new QuorumRenewals(servers, keys, time, claims));
        servers.attach(claims);
    }

    private Parts parts() {
        if (parts == null) {
            throw new IllegalStateException("The lock backend was not started");
        }
        return parts;
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        if (closed) {
            return Uni.createFrom().failure(() -> errors.closed(claim.name()));
        }
        if (!claim.exclusive()) {
            return Uni.createFrom().failure(() -> errors.shared(claim.name()));
        }
        if (errors.tooLong(claim.leaseNanos())) {
            return Uni.createFrom().failure(() -> errors.lease(claim.name(), claim.leaseNanos()));
        }
        Parts by = parts();
        // Not an emitter: it drops an item, and with it the grant, when the subscriber cancels meanwhile
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super Answer> subscriber) {
                var asking = new QuorumClaim(servers, calls, errors, by.time, by.claims, returns, claim, subscriber);
                subscriber.onSubscribe(asking);
                servers.run(asking::begin);
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
        var ours = new ArrayList<QuorumGrant>(grants.size());
        for (Grant grant : grants) {
            ours.add((QuorumGrant) grant);
        }
        return call(outcome -> outcome.complete(new Renewal(List.of(), List.of(), ours)),
                outcome -> parts().renewals.renew(ours, exactly, outcome));
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return call(grant.name(), outcome -> parts().releases.release((QuorumGrant) grant, outcome));
    }

    @Override
    public Uni<Void> releaseAfter(Grant grant, long nanos) {
        return call(grant.name(), outcome -> parts().releases.releaseAfter((QuorumGrant) grant, nanos, outcome));
    }

    /** A waiter has asked a majority, which shares a server with the holder's majority: it may be any server. */
    @Override
    public boolean tellsOfWaiters() {
        return servers.listensToAll();
    }

    /** Servers that sit out grant no lock, whatever else they answer. */
    @Override
    public Uni<Void> ready(String name) {
        return call(name, outcome -> readiness.ask(name, outcome));
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return call(name, outcome -> questions.inspect(name, outcome));
    }

    @Override
    public Uni<LockQuery.Page> list(LockQuery query) {
        return call(ListedNames.of(query),
                outcome -> new QuorumListing(servers, keys, errors, listed, query, outcome).begin());
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return call(name, outcome -> questions.forceRelease(name, outcome));
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return call(name, outcome -> questions.requestRelease(name, outcome));
    }

    @Override
    public WaitNotes waitNotes() {
        return waitNotes;
    }

    private final class Notes implements WaitNotes {

        @Override
        public Uni<Boolean> note(Claim waiting, String note) {
            return call(waiting.name(), outcome -> questions.note(waiting, note, outcome));
        }

        @Override
        public Uni<Line> line(String name) {
            return call(name, outcome -> questions.line(name, outcome));
        }
    }

    private <T> Uni<T> call(String name, Consumer<Outcome<T>> onLoop) {
        return call(outcome -> outcome.fail(errors.closed(name)), onLoop);
    }

    private <T> Uni<T> call(Consumer<Outcome<T>> whenClosed, Consumer<Outcome<T>> onLoop) {
        return new CallUni<>(outcome -> {
            if (closed) {
                whenClosed.accept(outcome);
            } else {
                servers.run(() -> onLoop.accept(outcome));
            }
        });
    }

    @Override
    public Set<Feature> features() {
        return FEATURES;
    }

    @Override
    public Duration longestLease() {
        return servers.options().longestLease();
    }

    @Override
    public Duration operationTimeout() {
        return servers.options().operationTimeout();
    }

    @Override
    public void beforeCheckpoint() {
        awaitWithdrawals();
    }

    @Override
    public void afterRestore() {
        servers.restored();
    }

    /** Waits for withdrawals under way, for at most the operation timeout; on an event loop it does not wait. */
    @Override
    public void close() {
        if (closed || parts == null) {
            return;
        }
        awaitWithdrawals();
        returns.close();
        closed = true;
        servers.detach(parts.claims);
    }

    /** On an event loop it does not wait. */
    private void awaitWithdrawals() {
        if (!Context.isOnEventLoopThread()) {
            returns.await(operationTimeout());
        }
    }

    @Override
    public String toString() {
        return "redis-quorum:" + namespace;
    }
}
