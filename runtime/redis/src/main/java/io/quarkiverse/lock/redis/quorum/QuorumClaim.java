package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Backoff;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A claim until it is answered or cancelled, whichever comes first. It makes attempts, one after the other.
 * <ol>
 * <li>An attempt asks all servers for the name (phase 1). If a majority says yes, it writes the fence, one above the highest
 * that these have seen, to the servers that said yes (phase 2). Once a majority has written it, the claim has its grant, which
 * counts from before the first request was sent.
 * <li>An attempt that cannot get a majority gives back what it has, at once and everywhere. So two claims that have split the
 * servers between them do not block each other.
 * <li>A claim that waits then asks again: when it is notified that the name is free, when the obstacle ends, and after a pause
 * at the latest. Only the first in line hurries. A claim that does not wait tries again only if it is not known that somebody
 * else has the name.
 * </ol>
 * All but {@link #cancel} happens on the event loop.
 */
final class QuorumClaim implements UniSubscription {

    /** The longest pause while servers are away, since they do not announce their return. */
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);
    /**
     * How many collisions with simultaneous requests a claim that does not wait tolerates before it reports the name as busy.
     */
    private static final int COLLISIONS = 8;
    /** The reply of {@code quorum-write.lua} in that case. */
    private static final int WRITTEN_AND_OTHERS_WAIT = 2;
    /** Once one server has said that the name is free, others are about to: how long to wait for them. */
    private static final long OTHER_HINTS = TimeUnit.MILLISECONDS.toNanos(2);

    private enum State {
        ASKING,
        WRITING,
        WAITING,
        OVER
    }

    private final QuorumServers servers;
    private final AskCalls calls;
    private final QuorumErrors errors;
    private final LockTime time;
    private final Claims claims;
    private final Returns returns;
    private final Claim claim;
    private final UniSubscriber<? super Answer> subscriber;
    private final Asks asks;
    private final String priority;
    private final Backoff pauses = new Backoff(LONGEST_PAUSE);
    private final long deadline;
    private final AtomicBoolean over = new AtomicBoolean();

    private State state = State.WAITING;
    private Vote vote;
    private long sentAt;
    private long fence;
    /** How many servers were sent the fence. */
    private int asked;
    private boolean othersWait;
    private @Nullable QuorumGrant grant;
    private int collisions;
    private int hints;
    /** Which servers have said that this attempt was ended by force, as bits. */
    private long forcedAt;
    private boolean sending;
    private boolean impatient;
    /** Counts what is scheduled, so that only the last of it is run. */
    private int plan;

    QuorumClaim(QuorumServers servers, AskCalls calls, QuorumErrors errors, LockTime time, Claims claims, Returns returns,
            Claim claim, UniSubscriber<? super Answer> subscriber) {
        this.servers = servers;
        this.calls = calls;
        this.errors = errors;
        this.time = time;
        this.claims = claims;
        this.returns = returns;
        this.claim = claim;
        this.subscriber = subscriber;
        this.asks = new Asks(servers.all().size());
        this.priority = String.valueOf(time.wallMillis());
        this.deadline = time.nanoTime() + servers.options().operationTimeout().toNanos();
        this.vote = new Vote(servers.all().size(), servers.majority());
    }

    void begin() {
        if (over.get()) {
            return;
        }
        claims.add(claim, this);
        ask();
    }

    /** A server says that the name is free, and that it is this claim's turn. */
    void hinted() {
        hints++;
        if (state == State.ASKING && vote.undecidable()) {
            giveUp(); // the remaining answers cannot help, but this hint can
        } else if (state == State.WAITING) {
            askAsHinted();
        }
    }

    private void askAsHinted() {
        if (hints >= servers.majority()) {
            ask();
        } else {
            askIn(OTHER_HINTS);
        }
    }

    /** An attempt's reservation was taken by force: any answer still to come from that server is out of date. */
    void forced(int server, int attempt) {
        if (attempt == asks.attempt()) {
            forcedAt |= 1L << server;
        }
    }

    /** The servers can be reached again. */
    void recheck() {
        if (state == State.WAITING) {
            askIn(Vote.SHORTEST_PAUSE);
        }
    }

    private void ask() {
        if (over.get()) {
            return;
        }
        state = State.ASKING;
        plan++;
        hints = 0;
        forcedAt = 0;
        impatient = false;
        vote = new Vote(servers.all().size(), servers.majority());
        sentAt = time.nanoTime();
        int attempt = asks.next();
        Vote mine = vote;
        sending = true; // some may fail at once, and nothing may be given back before all are sent
        for (QuorumServer server : servers.all()) {
            asks.sent(server);
            send(server, calls.ask(server, claim, attempt, priority, reply -> {
                asks.over(server);
                mine.answered(server, reply, errors);
                if (mine == vote && (state == State.WRITING || kept()) && mine.yes().contains(server)) {
                    write(server); // one of the quicker servers may hang now, or be lost later
                } else {
                    counted(mine);
                    gap(mine);
                }
            }, failure -> {
                if (failure.fate() != RedisFailure.Fate.NO_REPLY) {
                    asks.over(server);
                }
                mine.failed(server, errors.failure(server, failure));
                counted(mine);
            }));
        }
        sending = false;
        counted(mine);
    }

    /** Once a server has said no, the claim does not wait long for the others: one may hang. */
    private void losePatience() {
        Vote mine = vote;
        impatient = true;
        servers.after(servers.options().patienceNanos(), () -> {
            if (mine == vote && state == State.ASKING) {
                giveUp();
            }
        });
    }

    /** A claim that does not wait must end in time. */
    private void send(QuorumServer server, ServerCall call) {
        if (!claim.waits()) {
            call.deadline = System.nanoTime() + Math.max(1, deadline - time.nanoTime());
        }
        server.send(call);
    }

    private void counted(Vote which) {
        if (sending || which != vote || state != State.ASKING) {
            return;
        }
        if (which.won()) {
            write();
        } else if (which.undecidable() && !worthHearing(which)) {
            giveUp();
        } else if (which.contradicted() && !impatient) {
            losePatience();
        }
    }

    /**
     * Whether to wait for the remaining answers to a lost vote. This keeps no server from others, and asking again would gain
     * nothing yet; but a request that has been answered needs no tombstone.
     */
    private boolean worthHearing(Vote lost) {
        if (!claim.waits() || !lost.contradicted() || !lost.yes().isEmpty() || hints > 0 || lost.complete()) {
            return false;
        }
        report(lost);
        return true;
    }

    /**
     * A late answer is as bad as none: nobody else may get the name before the lease ends, which counts from the first request.
     */
    private boolean inTime() {
        return time.nanoTime() - sentAt < claim.leaseNanos() / 2;
    }

    private void write() {
        if (!inTime()) {
            giveUp();
            return;
        }
        state = State.WRITING;
        fence = vote.highest() + 1;
        asked = 0;
        othersWait = false;
        sending = true;
        List.copyOf(vote.yes()).forEach(this::write);
        sending = false;
        written(vote);
    }

    /** Whether it is granted, and not given back yet. */
    private boolean kept() {
        return grant != null && claims.keeps(grant);
    }

    private void write(QuorumServer server) {
        Vote mine = vote;
        asked++;
        send(server, calls.write(server, claim, asks.attempt(), fence, said -> {
            if (said == WRITTEN_AND_OTHERS_WAIT) {
                othersWait();
            }
            mine.written(said > 0);
            written(mine);
            if (mine == vote && grant != null) {
                grant.written = mine.written();
            }
        }, failure -> {
            mine.notWritten(server, errors.failure(server, failure));
            written(mine);
        }));
    }

    /** This news may come before the grant exists here, since the servers already have the claim's fence. */
    void othersWait() {
        othersWait = true;
        if (grant != null) {
            claims.waiters(grant, true);
        }
    }

    private void written(Vote which) {
        if (sending || which != vote || state != State.WRITING) {
            return;
        }
        if (which.fenceWritten()) {
            granted();
        } else if (which.fenceRefused(asked)) {
            giveUp();
        }
    }

    private void granted() {
        if (!inTime() || Long.bitCount(forcedAt) > servers.all().size() - servers.majority()) {
            giveUp();
            return;
        }
        if (!over.compareAndSet(false, true)) {
            return; // the claim is being undone
        }
        state = State.OVER;
        claim.trouble(null);
        var made = new QuorumGrant(claim, fence, sentAt, asks, errors);
        made.forcedAt = forcedAt;
        grant = made;
        claims.granted(made);
        subscriber.onItem(made);
        claims.handedOut(made, othersWait);
        gap(vote);
    }

    /** A majority was enough, and somebody else still had the name at another server. */
    private void gap(Vote which) {
        if (grant != null && which == vote && (which.taken() || hints > 0)) {
            claims.gap(grant);
        }
    }

    private void giveUp() {
        Vote lost = vote;
        state = State.WAITING;
        if (over.get()) {
            return;
        }
        boolean collided = lost.taken() && !lost.granted();
        collisions = collided ? collisions + 1 : 0;
        if (claim.waits()) {
            report(lost);
        } else if (lost.granted() || lost.taken() && (collisions > COLLISIONS || lost.blocked() && expired())) {
            answer(new Busy(lost.heldBy()), null);
            return;
        } else if (expired()) {
            answer(null, errors.tooFew(claim.name(), lost.absent()));
            return;
        }
        returns.afterAttempt(claim, asks, claim.waits() ? priority : "", lost.yes());
        if (hints > 0) {
            askAsHinted();
        } else {
            askIn(lost.taken() ? lost.untilAskedAgain(claim.waits(), collided) : pauses.next());
        }
    }

    private boolean expired() {
        return time.nanoTime() - deadline >= 0;
    }

    private void report(Vote lost) {
        if (lost.tooFew() || !lost.taken()) { // otherwise somebody is in the way
            claim.trouble(errors.tooFew(claim.name(), lost.absent()));
            return;
        }
        claim.trouble(null);
        String holder = lost.holder();
        if (lost.granted() && holder != null) {
            claim.heldBy(holder, time.nanoTime() - lost.heldNanos());
        } else {
            claim.stillTaken();
        }
    }

    private void askIn(long nanos) {
        int mine = ++plan;
        servers.after(nanos, () -> {
            if (mine == plan && state == State.WAITING) {
                ask();
            }
        });
    }

    private void answer(@Nullable Answer answer, @Nullable Throwable failure) {
        if (over.compareAndSet(false, true)) {
            undo();
            if (answer != null) {
                subscriber.onItem(answer);
            } else {
                subscriber.onFailure(failure);
            }
        }
    }

    /** Nobody wants the answer any more. */
    @Override
    public void cancel() {
        if (over.compareAndSet(false, true)) {
            returns.begin();
            servers.run(() -> {
                undo();
                returns.end();
            });
        }
    }

    private void undo() {
        state = State.OVER;
        claims.remove(claim);
        if (asks.attempt() > 0) {
            returns.withdraw(claim, asks);
        }
    }
}
