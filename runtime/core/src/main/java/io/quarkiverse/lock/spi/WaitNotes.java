package io.quarkiverse.lock.spi;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.smallrye.mutiny.Uni;

/**
 * Notes beside waiting claims, for a store that several JVMs share: what the callers of a claim hold while they wait. With them
 * the engines find callers of several JVMs that wait for each other. A note decides nothing about who gets a lock. Both are
 * asked
 * only for a wait that has lasted for some time; both are as a {@code Uni} of {@link LockBackend} has to be.
 *
 * <pre>{@code
 * class OwnBackend implements LockBackend {
 *
 *     @Override
 *     public WaitNotes waitNotes() {
 *         return notes; // that write to the store, and read from it
 *     }
 * }
 * }</pre>
 */
public interface WaitNotes {

    /** No note is longer: so many characters of ASCII, without control characters. */
    int MAX_LENGTH = 2000;

    /** A note is written again at least so often, also if it is still the same: one that is twice as old need not be kept. */
    Duration REWRITTEN_WITHIN = Duration.ofSeconds(30);

    /**
     * Puts a note beside a waiting claim, in place of the one before. It goes with the claim's place in the line, and at the
     * latest when the claim is granted nobody {@linkplain #line sees} it any more.
     *
     * @return {@code false} if the claim does not wait in the store: it was granted or withdrawn, or has no place there at the
     *         moment
     */
    Uni<Boolean> note(Claim waiting, String note);

    /** Who has the name, and who waits for it with a note. Leases that are over, and claims given up for dead, do not count. */
    Uni<Line> line(String name);

    /**
     * @param holders all of them
     * @param waiters those with a note, or some of them if there are very many
     */
    record Line(List<Holder> holders, List<Waiter> waiters) {

        /** Of a name that nobody has. */
        public static final Line NOBODY = new Line(List.of(), List.of());
    }

    /**
     * @param fence the {@link Grant#fence} of its grant
     * @param limit 0 unless it has one
     */
    record Holder(long fence, LockMode mode, int limit) {
    }

    /**
     * @param token the {@link Claim#token}
     * @param since by the store: higher for one that has begun to wait later, wherever that was; the same for all who ask
     * @param owner describes its JVM to people; {@code null} if that is not known
     */
    record Waiter(String token, long since, @Nullable String owner, String note) {
    }
}
