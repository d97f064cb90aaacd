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
 * Keeps locks in a store that several JVMs share. The engine in front of it handles the local queue, re-entrancy, renewal
 * times, validity and hand-over inside the JVM; it makes at most one waiting claim per name.
 *
 * <p>
 * Every returned {@code Uni} is lazy, is subscribed to once, does not block the subscriber, and ends in bounded time, except
 * for a waiting claim. It may emit on any thread; the engine does no long work there. It fails with a
 * {@link io.quarkiverse.lock.LockBackendException} that names the configuration to look at.
 */
public interface LockBackend extends AutoCloseable {

    /** The backend's name in the configuration and in messages. */
    String name();

    /**
     * Called once, before anything else; does not block. Connections may be made later.
     *
     * @param listener told what happens to grants without being asked by the engine
     * @param time the clock and timers to use
     */
    void start(BackendListener listener, LockTime time);

    /**
     * Turns a claim into a grant, waiting for it if {@link Claim#waits}: first come, first served among all JVMs.
     * <p>
     * A lost reply is resolved by asking again under the same token, never by guessing. A waiting claim survives the loss of
     * the connection, and reports trouble through {@link Claim#trouble}. Cancelling withdraws the claim: nothing of it stays in
     * the store, and a grant that arrives late is undone.
     *
     * @return subscribed to once: each claim is made once
     */
    Uni<Answer> acquire(Claim claim);

    /**
     * Whether {@link #acquireTogether} can take these names in one step. Must be quick.
     *
     * @param names without duplicates
     */
    default boolean takesTogether(List<String> names) {
        return false;
    }

    /**
     * Turns claims for several names into grants in one step: all of them, or none, and without waiting, whatever
     * {@link Claim#waits} says. No waiter for one of them is overtaken. Cancelling works as with {@link #acquire}.
     *
     * @param claims for names that {@link #takesTogether}
     * @return a grant for each, in their order; empty if not all could be granted: the engine then takes them one by
     *         one
     */
    default Uni<List<? extends Grant>> acquireTogether(List<Claim> claims) {
        throw new UnsupportedOperationException("Lock backend '" + name() + "' takes one name at a time");
    }

    /**
     * Extends the grants by {@link Grant#leaseNanos} from now. Never fails as a whole: grants without an answer are
     * {@linkplain Renewal#unknown unknown}. A grant that is gone is never recreated.
     */
    Uni<Renewal> renew(List<? extends Grant> grants);

    /**
     * {@link #renew} of one grant, which is then kept for {@link Grant#leaseNanos} from now even if it would have been kept
     * longer. A request that the store runs late must not undo a later renewal. The default is for a store whose renewals do
     * that anyway.
     */
    default Uni<Renewal> shorten(Grant grant) {
        return renew(List.of(grant));
    }

    /**
     * {@link #shorten} of a grant that nobody in this JVM holds: before the answer, its release is the only other request for
     * it. Many may be shortened at once, and renewals of held grants must not wait for them. The default is for a store that
     * does not queue renewals.
     */
    default Uni<Renewal> shortenIdle(Grant grant) {
        return shorten(grant);
    }

    /**
     * Ends the grant. Idempotent; touches only what carries the claim's token.
     * <p>
     * Fails with {@link LockLostException} if there was nothing to end although the grant was {@linkplain Grant#keptAt kept}
     * when the first attempt was sent: others may have held the name as well. Its message gives the reason, like that of
     * {@link BackendListener#lost}, and the engine does not retry. A later attempt that finds nothing succeeds: an earlier one
     * may have ended the grant.
     */
    Uni<Void> release(Grant grant);

    /**
     * Ends the grant that long from now, sooner or later than its lease would: until then the name stays taken without a holder
     * or renewals, whatever happens to this JVM. Idempotent; touches only what carries the claim's token. A grant that is gone
     * is reported as by {@link #release}. Called only for a backend with {@link Feature#HOLD_AT_LEAST}.
     *
     * @param nanos more than zero
     */
    default Uni<Void> releaseAfter(Grant grant, long nanos) {
        throw new UnsupportedOperationException("Lock backend '" + name() + "' cannot keep a name after its release");
    }

    /**
     * Turns an exclusive grant into that of a reader, under the same token and fence and for the rest of its lease: it keeps
     * writers out throughout. Readers that wait in front of the next writer are let in, as after a release. Idempotent; touches
     * only what carries the claim's token. {@link Claim#mode} is already {@code SHARED}, but the store may keep the grant as
     * exclusive until this is answered. The grant may be renewed and released meanwhile. The engine retries as long as this
     * fails. Called only for a backend with {@link Feature#DOWNGRADE}.
     *
     * @return {@code false} if the grant is gone
     */
    default Uni<Boolean> downgrade(Grant grant) {
        throw new UnsupportedOperationException("Lock backend '" + name() + "' cannot turn a writer into a reader");
    }

    /**
     * More callers of this JVM wait for the name of a grant. The backend should find out whether other JVMs do too, unless it
     * is told anyway; see {@link BackendListener#waiters}. Must be quick.
     */
    default void contended(Grant grant) {
    }

    /**
     * The grant is kept for a while without a holder in this JVM. The backend should find out whether other JVMs wait for it or
     * begin to, unless it is told anyway; see {@link BackendListener#waiters}. Called repeatedly for the same grant, and must
     * be quick.
     */
    default void lingers(Grant grant) {
        contended(grant);
    }

    /**
     * Whether this JVM is notified at once when another one begins to wait for a lock it holds; see
     * {@link BackendListener#waiters}. If not, somebody may wait at any time: a grant is then handed on inside this JVM only
     * for the configured slice, {@code quarkus.lock.slice}. The answer may change while the backend runs. Must be quick.
     */
    default boolean tellsOfWaiters() {
        return true;
    }

    /**
     * Who holds the name and how many wait; empty when nobody holds it or waits. The owner of a grant that was given to
     * {@link #releaseAfter} begins with "finished, kept by".
     */
    Uni<Optional<LockInfo>> inspect(String name);

    /**
     * Whether locks are available, for health checks: fails with the reason if not. Writes nothing about the name. By default
     * they are available while the store answers {@link #inspect}.
     *
     * @param name a name that nobody takes
     */
    default Uni<Void> ready(String name) {
        return inspect(name).replaceWithVoid();
    }

    /**
     * Some of the names that are held or waited for, as {@link io.quarkiverse.lock.LockManager#list} promises them. Ends within
     * the operation timeout, and does not hold up the store or this JVM's grants for more than a few ms. To keep to that, a
     * page may have few locks or none, and a next page. Grants whose lease is over are not shown. A name whose record cannot be
     * read is left out with a warning, so that it does not hide the others. A continuation that does not come from this backend
     * fails with an {@link IllegalArgumentException}. The default is for a backend without {@link Feature#LIST}: this is called
     * there too.
     */
    default Uni<LockQuery.Page> list(LockQuery query) {
        return Uni.createFrom().failure(() -> new IllegalStateException("Lock backend '" + name()
                + "' cannot list what is locked: ask for one name with inspect"));
    }

    /** Ends all grants of the name and raises its fence; returns whether there was one. */
    Uni<Boolean> forceRelease(String name);

    /**
     * Notes with each grant of the name that somebody asks for it; the note disappears with the grant. Each JVM with a grant is
     * told through {@link BackendListener#releaseRequested}: at once if it can be reached, and in any case before each renewal
     * of the grant is answered. Later grants are not affected. Called only for a backend with {@link Feature#REQUEST_RELEASE}.
     *
     * @return whether there was a grant
     */
    default Uni<Boolean> requestRelease(String name) {
        return Uni.createFrom()
                .failure(() -> new IllegalStateException("Lock '" + PrintableName.of(name) + "': lock backend '" + name()
                        + "' cannot ask the holder to finish; choose another one with quarkus.lock.backend"));
    }

    /**
     * Where notes beside waiting claims are kept, so that deadlocks between callers of several JVMs are found, and one of the
     * calls fails. Called once, perhaps before {@link #start}. The default is for a backend without notes: such callers wait
     * until the first of their waits is over.
     */
    default @Nullable WaitNotes waitNotes() {
        return null;
    }

    Set<Feature> features();

    /**
     * The longest lease that the store can keep, if it relies on no lease being longer. Whatever is added to a lease counts
     * too. A longer one is refused when the application starts, if it is known then, and otherwise by {@link #acquire} and
     * {@link Grant#leaseNanos(long)}.
     *
     * @return {@code null} if there is no such limit
     */
    default @Nullable Duration longestLease() {
        return null;
    }

    /**
     * Refuses a lease that somebody asks for and does not have renewed, if the grant would end before it, as far as that is
     * known now. The default is for a backend with {@link Feature#LEASE}: others shorten a lease to what they can keep, which
     * nobody notices as long as it is renewed. If the JVM dies, the name may then be free sooner than was asked for. Must be
     * quick.
     *
     * @throws IllegalArgumentException with the longest lease, and what to do about it
     */
    default void checkUnrenewed(Duration lease) {
    }

    /** The maximum time of one operation, apart from the wait of a claim. */
    Duration operationTimeout();

    /**
     * The process is about to be frozen, and may be restored more than once; the engine has withdrawn all claims. Waits until
     * the store has answered that, for at most the {@linkplain #operationTimeout operation timeout}: what is left of a claim
     * would keep others waiting while the process is frozen. May be called on any thread, and does not block an event loop.
     * The default is for a backend that does not know what is still being withdrawn.
     *
     * <pre>{@code
     * public void beforeCheckpoint() {
     *     ongoingWithdrawals.await(operationTimeout());
     * }
     * }</pre>
     */
    default void beforeCheckpoint() {
    }

    /**
     * The process was restored, perhaps as one of several copies, or was not frozen after all. Whatever no two processes may
     * share is made anew: a session, a connection, an address for messages. Called once after each {@link #beforeCheckpoint},
     * before any claim, on any thread; must be quick. Grants that end with what was left are reported as
     * {@linkplain BackendListener#lost lost}. The default is for a backend that has nothing of the kind.
     *
     * <pre>{@code
     * public void afterRestore() {
     *     connections.replace();
     * }
     * }</pre>
     */
    default void afterRestore() {
    }

    /**
     * Closes connections. The engine has released or given up all grants before. If the application cannot start, this may be
     * called before {@link #start} was.
     */
    @Override
    void close();
}
