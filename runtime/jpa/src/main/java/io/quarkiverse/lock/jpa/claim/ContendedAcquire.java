package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.grace.Marker;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.NameHolder;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Sharer;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;

/**
 * The step of a claim that did not get its name at once: one short transaction with the name's row locked. It grants the name
 * if no incompatible claim holds it and nobody waits ahead of this one; otherwise it makes or refreshes the claim's place in
 * the queue. SHARED claims and claims with a limit are granted only here.
 */
public final class ContendedAcquire {

    /** How long a waiting claim counts as alive without a refresh. */
    public static final long ALIVE_MICROS = 5_000_000;

    /** The same for a claim far from the head of a line that stands still: its place is refreshed less often. */
    static final long ALIVE_FAR_MICROS = 6_000_000;

    /** The result of the step. */
    sealed interface Outcome {
    }

    /**
     * @param waiters how many others are waiting
     * @param room whether the first of them could get in too
     */
    public record Granted(long fence, int waiters, boolean room) implements Outcome {

        Granted(long fence, int waiters) {
            this(fence, waiters, false);
        }
    }

    public record Taken(Busy answer) implements Outcome {
    }

    /**
     * @param ahead how many wait ahead of it, if known
     * @param until when the name's grants end, or the first of them if the name is shared
     * @param holders the tokens to notify of a waiter, if this claim has not waited before
     */
    public record Queued(long now, long ticket, int ahead, long until, @Nullable NameHolder heldBy, List<String> holders)
            implements
                Outcome {
    }

    public record OtherFormat(int format) implements Outcome {
    }

    /** The name has no row. */
    public record NoRow() implements Outcome {
    }

    private final DatabaseClock clock;
    private final String id;
    private final Claim claim;
    private final String token;
    private final String owner;
    private final Statements statements;
    private final @Nullable Marker marker;

    public ContendedAcquire(Statements statements, @Nullable Marker marker, DatabaseClock clock, String id, Claim claim,
            String owner) {
        this.clock = clock;
        this.id = id;
        this.claim = claim;
        this.token = claim.token();
        this.owner = owner;
        this.statements = statements;
        this.marker = marker;
    }

    /** In a transaction. */
    public Outcome run(LockConnection connection) throws SQLException {
        LockRow row = LockRow.lock(connection, statements, id);
        if (row == null) {
            return new NoRow();
        }
        if (row.format() != LockRow.FORMAT) {
            return new OtherFormat(row.format());
        }
        QueueSnapshot line = QueueSnapshot.read(connection, statements, row, id, token);
        if (line == null) {
            return new NoRow();
        }
        long now = line.now();
        clock.read(now);
        if (line.expired()) {
            connection.update(statements.dropExpired, id, now, token);
        }
        boolean own = claim.exclusive() ? token.equals(row.token()) && row.expires() > now : line.shares(row);
        long grace = 0;
        if (own || line.atTheHead() && free(row, line)) {
            // In a grace, not even its own apparent grant counts: it may have ended since
            grace = marker == null ? 0 : marker.left(connection);
            if (grace == 0) {
                return claim.exclusive() ? grant(connection, row, line, own) : share(connection, row, line, own);
            }
        }
        List<Sharer> sharers = sharers(connection, line);
        NameHolder heldBy = row.expires() > now ? NameHolder.of(row.owner(), now - row.since()) : Sharer.holder(sharers, now);
        if (claim.waits()) {
            return queue(connection, row, line, heldBy, sharers, grace);
        }
        return new Taken(grace > 0 ? new Busy(Marker.nobodyFor(grace)) : NameHolder.busy(heldBy));
    }

    private boolean free(LockRow row, QueueSnapshot line) {
        return row.expires() <= line.now()
                && (claim.exclusive() ? row.sharedUntil() <= line.now()
                        : line.sharers().admit(QueueSnapshot.mode(claim), claim.limit()));
    }

    private Outcome grant(LockConnection connection, LockRow row, QueueSnapshot line, boolean own) throws SQLException {
        long now = line.now();
        long fence = own ? row.fence() : Math.max(row.fence() + 1, now);
        connection.update(statements.take, fence, own ? row.since() : now, token, owner,
                now + DatabaseClock.micros(claim.leaseNanos()), line.queueUntil(), id);
        if (line.mine() != null) {
            connection.update(statements.dropClaim, id, token);
        }
        return new Granted(fence, line.others());
    }

    /** Takes the exclusive holder's token out of the row, so that nothing can renew that grant. */
    private Outcome share(LockConnection connection, LockRow row, QueueSnapshot line, boolean own) throws SQLException {
        QueueSnapshot.Place mine = line.mine();
        long now = line.now();
        long fence = own && mine != null ? mine.fence() : Math.max(row.fence() + 1, now);
        long since = own && mine != null ? mine.since() : Math.max(row.since(), now);
        long expires = now + DatabaseClock.micros(claim.leaseNanos());
        connection.update(statements.share, Math.max(row.fence(), fence), Math.max(expires, line.sharers().lastEnd()),
                line.queueUntil(), id);
        if (mine != null) {
            connection.update(statements.holdClaim, since, expires, fence, id, token);
        } else {
            connection.update(statements.insertClaim, id, token, "H", QueueSnapshot.mode(claim), claim.limit(), row.ticket(),
                    owner, since,
                    expires, fence);
        }
        return new Granted(fence, line.others(), line.roomBeside(claim));
    }

    /** Those who share the name: all of them if this claim is about to notify them, otherwise the first one. */
    private List<Sharer> sharers(LockConnection connection, QueueSnapshot line) throws SQLException {
        if (line.sharers().count() == 0) {
            return List.of();
        }
        return claim.waits() && !line.inLine() && line.sharers().anyReads()
                ? Sharer.all(connection, statements, id, line.now(), token)
                : Sharer.first(connection, statements, id, line.now(), token);
    }

    private Outcome queue(LockConnection connection, LockRow row, QueueSnapshot line, @Nullable NameHolder heldBy,
            List<Sharer> sharers, long grace) throws SQLException {
        long now = line.now();
        QueueSnapshot.Place mine = line.mine();
        boolean queued = line.inLine();
        long ticket = queued ? mine.ticket() : row.ticket() + 1;
        long alive = now + ALIVE_MICROS;
        connection.update(statements.queue, Math.max(ticket, row.ticket()), now + QueueSnapshot.QUEUE_MICROS, id);
        if (queued) {
            connection.update(statements.refreshClaim, alive, id, token);
        } else {
            if (mine != null) {
                connection.update(statements.dropClaim, id, token);
            }
            connection.update(statements.insertClaim, id, token, "W", QueueSnapshot.mode(claim), claim.limit(), ticket, owner,
                    now,
                    alive,
                    0);
        }
        long until = claim.exclusive() ? Math.max(row.expires(), row.sharedUntil()) : line.firstEnd();
        return new Queued(now, ticket, line.ahead(), Math.max(until, now + grace), heldBy,
                queued ? List.of() : toTell(row, sharers, now));
    }

    /** Those who may hand on or share their grant inside their JVM. */
    private static List<String> toTell(LockRow row, List<Sharer> sharers, long now) {
        List<String> tokens = new ArrayList<>();
        if (row.expires() > now && row.token() != null) {
            tokens.add(row.token());
        }
        for (Sharer sharer : sharers) {
            if (sharer.reads()) {
                tokens.add(sharer.token());
            }
        }
        return tokens;
    }
}
