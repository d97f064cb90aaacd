package io.quarkiverse.lock.spi;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.smallrye.mutiny.Uni;

/**
 * Notes beside waiting claims, for a store that several JVMs share: what the callers of a claim hold while they wait. The
 * engines use them to find callers of several JVMs that wait for each other. A note never decides who gets a lock. Both methods
 * are called only for a wait that has lasted for some time; both follow the rules for a {@code Uni} of {@link LockBackend}.
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

    /** The maximum length of a note, in ASCII characters without control characters. */
    int MAX_LENGTH = 2000;

    /** A note is rewritten at least this often, even if unchanged: a note twice as old need not be kept. */
    Duration REWRITTEN_WITHIN = Duration.ofSeconds(30);

    /**
     * Puts a note beside a waiting claim, replacing the previous one. It disappears with the claim's place in the line; once
     * the claim is granted, at the latest, nobody {@linkplain #line sees} it any more.
     *
     * @return {@code false} if the claim does not wait in the store: it was granted or withdrawn, or has no place there at the
     *         moment
     */
    Uni<Boolean> note(Claim waiting, String note);

    /** Who has the name, and who waits for it with a note. Expired leases, and claims considered dead, do not count. */
    Uni<Line> line(String name);

    /**
     * @param holders all holders
     * @param waiters the waiters with a note, or some of them if there are very many
     */
    record Line(List<Holder> holders, List<Waiter> waiters) {

        /** The line of a name that nobody has. */
        public static final Line NOBODY = new Line(List.of(), List.of());
    }

    /**
     * @param fence the {@link Grant#fence} of its grant
     * @param limit 0 if it has no limit
     */
    record Holder(long fence, LockMode mode, int limit) {
    }

    /**
     * @param token the {@link Claim#token}
     * @param since determined by the store: higher for a wait that began later, in any JVM; the same for every JVM
     *        that asks
     * @param owner describes its JVM to people; {@code null} if unknown
     */
    record Waiter(String token, long since, @Nullable String owner, String note) {
    }
}
