package io.quarkiverse.lock.spi.support;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.spi.Claim;
import io.smallrye.mutiny.Uni;

/**
 * What a store must provide for {@link StoreLockBackend} to turn it into a lock backend: take a name under a token if nobody
 * has it, renew it, and release it. The store keeps no queue. The backend takes care of waiting, of retries after a lost reply,
 * and of withdrawing claims that nobody wants any more.
 *
 * <p>
 * Methods can be called from any thread. Every {@code Uni} is lazy, is subscribed to once, does not block the subscriber, may
 * emit on any thread, and ends within the operation timeout that the backend was given. It fails with a
 * {@link io.quarkiverse.lock.LockBackendException} that names the configuration to look at; the step may then have been
 * executed or not. Leases are in nanoseconds, measured by the store's clock from when it executes the step, so the JVM, which
 * counts from sending the request, considers the lease ended first.
 *
 * <p>
 * A store of one JVM, without leases, where no reply is lost:
 *
 * <pre>{@code
 * class MapStore implements LockStore {
 *     private final Map<String, String> tokens = new ConcurrentHashMap<>();
 *     private final AtomicLong fences = new AtomicLong();
 *
 *     public Uni<Attempt> take(Claim claim) {
 *         return Uni.createFrom().item(() -> tokens.putIfAbsent(claim.name(), claim.token()) == null
 *                 ? Attempt.granted(fences.incrementAndGet())
 *                 : Attempt.busy(null));
 *     }
 *
 *     public Uni<Boolean> renew(String name, String token, long leaseNanos) {
 *         return Uni.createFrom().item(() -> token.equals(tokens.get(name)));
 *     }
 *
 *     public Uni<Boolean> release(String name, String token) {
 *         return Uni.createFrom().item(() -> tokens.remove(name, token));
 *     }
 *
 *     public Uni<Optional<LockInfo.Holder>> inspect(String name) {
 *         return Uni.createFrom().item(Optional.empty());
 *     }
 *
 *     public Uni<Boolean> forceRelease(String name) {
 *         return Uni.createFrom().item(() -> tokens.remove(name) != null);
 *     }
 *
 *     public void close() {
 *     }
 * }
 * }</pre>
 */
public interface LockStore extends AutoCloseable {

    /**
     * The answer to {@link LockStore#take}.
     *
     * @param fence the fence of the grant; 0 if there is none
     * @param heldBy describes who has the name instead, if known
     */
    record Attempt(long fence, @Nullable String heldBy) {

        /** @param fence greater than that of every earlier grant of the name, and below 2^53 */
        public static Attempt granted(long fence) {
            return new Attempt(fence, null);
        }

        /** @param heldBy describes who has the name, for people; {@code null} if unknown */
        public static Attempt busy(@Nullable String heldBy) {
            return new Attempt(0, heldBy);
        }

        boolean granted() {
            return fence > 0;
        }
    }

    /**
     * Takes the name, for {@link Claim#leaseNanos} or longer, unless somebody else has it. A claim that already has the name,
     * because an earlier reply was lost, gets its grant once more. After answering {@link Attempt#busy}, the store keeps
     * nothing of the claim. Called repeatedly, one call at a time, while a claim waits.
     */
    Uni<Attempt> take(Claim claim);

    /**
     * Keeps the name for this long from now, or a little longer. Never retakes a name that is gone.
     *
     * @return whether the token had it
     */
    Uni<Boolean> renew(String name, String token, long leaseNanos);

    /**
     * Ends the grant of that token, and no other: for a holder that is done, and for a withdrawn claim. May be called again
     * after a failure.
     *
     * @return whether the token had the name
     */
    Uni<Boolean> release(String name, String token);

    /**
     * Who has the name; empty if nobody does. The token to show is {@link io.quarkiverse.lock.spi.Grant#firstToken} of the
     * fence.
     */
    Uni<Optional<LockInfo.Holder>> inspect(String name);

    /**
     * Ends the grant of the name, whoever has it. Later grants still have greater fences.
     *
     * @return whether there was one
     */
    Uni<Boolean> forceRelease(String name);

    /** Closes connections. No calls follow. */
    @Override
    void close();
}
