package io.quarkiverse.lock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;

/**
 * Keeps locks in a store that several JVMs share. The engine in front of it has the local queue, re-entrancy, renewal times,
 * validity and hand-over inside the JVM; it makes at most one waiting claim per name.
 *
 * <p>
 * Every returned {@code Uni} is lazy, is subscribed to once, does not block the subscriber, and ends in bounded time,
 * apart from that of a waiting claim. It may emit on any thread; the engine does nothing long there. It fails with a
 * {@link io.quarkiverse.lock.LockBackendException} that names the configuration to look at.
 */
public interface LockBackend extends AutoCloseable {

    /** What the backend is called in the configuration and in messages. */
    String name();

    /**
     * Called once, before anything else; does not block. Connections may be made later.
     *
     * @param listener told of what happens to grants without the engine asking
     * @param time the clock and timers to use
     */
    void start(BackendListener listener, LockTime time);

    /**
     * Turns a claim into a grant, waiting for it if {@link Claim#waits}: first come, first served among all JVMs.
     * <p>
     * A lost reply is resolved by asking again under the same token, never guessed. While it waits it survives the loss of the
     * connection, and reports trouble through {@link Claim#trouble}. Cancelling withdraws the claim: nothing of it stays in the
     * store, and a grant that arrives late is undone.
     *
     * @return to be subscribed to once: a claim is asked for once
     */
    Uni<Answer> acquire(Claim claim);

    /**
     * Whether {@link #acquireTogether} can take these names in one step. Must be quick.
     *
     * @param names each but once
     */
    default boolean takesTogether(List<String> names) {
        return false;
    }

    /**
     * Turns claims for several names into grants in one step: all of them, or none, and without waiting, whatever
     * {@link Claim#waits} says. Nobody who waits for one of them is overtaken. Cancelling is as with {@link #acquire}.
     *
     * @param claims for names that {@link #takesTogether}
     * @return a grant for each, in their order; empty if not all were to be had, which the engine then takes one by one
     */
    default Uni<List<? extends Grant>> acquireTogether(List<Claim> claims) {
        throw new UnsupportedOperationException("Lock backend '" + name() + "' takes one name after the other");
    }

    /**
     * Extends the grants by {@link Grant#leaseNanos} from now. Never fails as a whole: what could not be asked is
     * {@linkplain Renewal#unknown unknown}. A grant that is gone is never made anew.
     */
    Uni<Renewal> renew(List<? extends Grant> grants);

    /**
     * {@link #renew} of one grant, which is kept for {@link Grant#leaseNanos} from now even if it was to be kept for longer. As
     * it is, for a store whose renewals do that anyway.
     */
    default Uni<Renewal> shorten(Grant grant) {
        return renew(List.of(grant));
    }

    /**
     * {@link #shorten} of a grant that nobody in this JVM holds: before the answer nothing else is asked for it but its
     * release. Many may be shortened at once, and the renewal of what is held must not have to wait for them. As it is, for a
     * store that has no line of renewals.
     */
    default Uni<Renewal> shortenIdle(Grant grant) {
        return shorten(grant);
    }

    /**
     * Ends the grant. Idempotent; touches only what carries the claim's token.
     * <p>
     * Fails with {@link LockLostException} when there was nothing to end although the grant was {@linkplain Grant#keptAt kept}
     * when the first attempt was sent: others may have held the name as well. Its message says why, as the reason of
     * {@link BackendListener#lost} does, and the engine does not try again. A later attempt that finds nothing succeeds: an
     * earlier one may have ended the grant.
     */
    Uni<Void> release(Grant grant);

    /**
     * Ends the grant that long from now, sooner or later than its lease would: until then the name stays taken, though nobody
     * holds or renews it, and whatever becomes of this JVM. Idempotent; touches only what carries the claim's token. A grant
     * that is gone is told as {@link #release} tells it. Asked for only of a backend with {@link Feature#HOLD_AT_LEAST}.
     *
     * @param nanos more than zero
     */
    default Uni<Void> releaseAfter(Grant grant, long nanos) {
        throw new UnsupportedOperationException("Lock backend '" + name() + "' cannot keep a name after its release");
    }

    /**
     * Turns a grant that excludes all others into that of a reader, under the same token and fence and for what is left of its
     * lease: it keeps writers out all the time. Readers who wait in front of the next writer are let in, as after a release.
     * Idempotent; touches only what carries the claim's token. {@link Claim#mode} says {@code SHARED} by now; the store may
     * not, until this has been answered, and the grant may be renewed and released all the same. The engine asks again as long
     * as this fails. Asked for only of a backend with {@link Feature#DOWNGRADE}.
     *
     * @return {@code false} if the grant is gone
     */
    default Uni<Boolean> downgrade(Grant grant) {
        throw new UnsupportedOperationException("Lock backend '" + name() + "' cannot make a reader of a writer");
    }

    /**
     * More callers of this JVM wait for the name of a grant: worth finding out whether other JVMs do too, where the backend is
     * not told of that anyway; see {@link BackendListener#waiters}. Must be quick.
     */
    default void contended(Grant grant) {
    }

    /**
     * The grant is kept for a while though nobody in this JVM holds it any more: worth being told of other JVMs that wait for
     * it or begin to, where the backend is not told of that anyway; see {@link BackendListener#waiters}. Called again and again
     * for the same grant, and must be quick.
     */
    default void lingers(Grant grant) {
        contended(grant);
    }

    /**
     * Whether this JVM is notified at once when another one begins to wait for what this one holds; see
     * {@link BackendListener#waiters}. While it is not, somebody may wait at any time: a grant is handed on inside this JVM for
     * the configured slice only, {@code quarkus.lock.slice}. The answer may change while the backend runs. Must be quick.
     */
    default boolean tellsOfWaiters() {
        return true;
    }

    /** Who holds the name and how many wait; empty when nobody holds it or waits. */
    Uni<Optional<LockInfo>> inspect(String name);

    /**
     * Whether locks can be had, for health checks: fails if not, and says why. Writes nothing about the name. As it is, they
     * can
     * while the store answers {@link #inspect}.
     *
     * @param name that nobody takes
     */
    default Uni<Void> ready(String name) {
        return inspect(name).replaceWithVoid();
    }

    /**
     * Some of the names that are held or waited for, as {@link io.quarkiverse.lock.LockManager#list} promises them. Ends within
     * the operation timeout, and does not keep the store or this JVM's grants from anything for longer than a few ms: rather a
     * page has few locks, or none, and a next one. Grants whose lease is over are not shown. A name whose record cannot be read
     * is left out with a warning, so that it does not hide the others. A continuation that no page of this backend has fails
     * with an {@link IllegalArgumentException}. As it is, for a backend without {@link Feature#LIST}: it is asked nevertheless.
     */
    default Uni<LockQuery.Page> list(LockQuery query) {
        return Uni.createFrom().failure(() -> new IllegalStateException("Lock backend '" + name()
                + "' cannot list what is locked: ask for one name with inspect"));
    }

    /** Ends whatever grants the name has and raises its fence; whether there was one. */
    Uni<Boolean> forceRelease(String name);

    /**
     * Takes note with each grant of the name that somebody asks for it; the note goes with the grant. Whoever has one is told
     * through {@link BackendListener#releaseRequested}, at once if it can be reached, and in any case before each renewal of
     * the grant is answered. A grant that is made later is not concerned. Asked for only of a backend with
     * {@link Feature#REQUEST_RELEASE}.
     *
     * @return whether there was a grant
     */
    default Uni<Boolean> requestRelease(String name) {
        return Uni.createFrom()
                .failure(() -> new IllegalStateException("Lock '" + PrintableName.of(name) + "': lock backend '" + name()
                        + "' cannot ask the holder to finish; choose another one with quarkus.lock.backend"));
    }

    /**
     * Where notes beside waiting claims are kept, so that callers of several JVMs that wait for each other are found, and one
     * of
     * them is told. Asked for once, maybe before {@link #start}. As it is, for a backend without: such callers wait until the
     * wait of one is over.
     */
    default @Nullable WaitNotes waitNotes() {
        return null;
    }

    Set<Feature> features();

    /**
     * The longest lease that the store can keep a grant for, where it counts on there being none that is longer; what is added
     * to a lease counts. A longer one is refused when the application starts, where it is known by then, and else by
     * {@link #acquire} and {@link Grant#leaseNanos(long)}.
     *
     * @return {@code null} if there is no such limit
     */
    default @Nullable Duration longestLease() {
        return null;
    }

    /** How long one operation, other than the wait of a claim, takes at most. */
    Duration operationTimeout();

    /** Lets go of connections. The engine has released or given up all grants before. */
    @Override
    void close();
}
