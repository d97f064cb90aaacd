package io.quarkiverse.lock.jpa;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.Claim;

/**
 * The step of a claim that did not get its name at once: in one short transaction with the name's row locked. It grants the
 * name if nobody holds it and nobody waits before; else it makes or refreshes the claim's place in the queue.
 */
final class Contention {

    /** How long a waiting claim that is not refreshed counts as alive. */
    static final long ALIVE_MICROS = 5_000_000;

    /** What came of it. */
    sealed interface Outcome {
    }

    /** @param waiters how many others wait */
    record Granted(long fence, int waiters) implements Outcome {
    }

    record Taken(@Nullable String heldBy) implements Outcome {
    }

    /**
     * @param until when the grants of the name end
     * @param holder the token to tell that somebody waits, if this claim has not waited before
     */
    record Queued(long now, long ticket, long until, @Nullable String heldBy, @Nullable String holder) implements Outcome {
    }

    record OtherFormat(int format) implements Outcome {
    }

    /** The name has no row. */
    record NoRow() implements Outcome {
    }

    private record Place(String token, String kind, long ticket, long expires) {
    }

    private final LockDatabase database;
    private final String id;
    private final Claim claim;
    private final String token;
    private final String owner;

    Contention(LockDatabase database, String id, Claim claim, String owner) {
        this.database = database;
        this.id = id;
        this.claim = claim;
        this.token = claim.token();
        this.owner = owner;
    }

    /** In a transaction. */
    Outcome run(LockConnection connection) throws SQLException {
        LockRow row = database.lockRow(connection, id);
        if (row == null) {
            return new NoRow();
        }
        if (row.format != LockRow.FORMAT) {
            return new OtherFormat(row.format);
        }
        long[] clock = new long[1];
        List<Place> places = places(connection, clock);
        long now = clock[0];
        database.clock().read(now);
        boolean own = token.equals(row.token) && row.expires > now;
        boolean free = own || row.expires <= now && row.sharedUntil <= now;
        Place mine = null;
        Place first = null;
        int others = 0;
        long othersUntil = 0;
        boolean expired = false;
        for (Place place : places) {
            if (place.expires <= now && !place.token.equals(token)) {
                expired = true;
            } else if (place.kind.equals("W")) {
                first = first == null ? place : first;
                if (place.token.equals(token)) {
                    mine = place;
                } else {
                    others++;
                    othersUntil = Math.max(othersUntil, place.expires);
                }
            }
        }
        if (expired) {
            connection.update(database.statements().dropExpired, id, now);
        }
        if (own || free && (first == null || first == mine)) {
            return grant(connection, row, now, own, mine != null, others, othersUntil);
        }
        String heldBy = row.expires > now ? LockState.holder(row.owner, now - row.since) : null;
        if (!claim.waits()) {
            return new Taken(heldBy);
        }
        long ticket = mine != null ? mine.ticket : row.ticket + 1;
        queue(connection, row, now, mine != null, ticket, othersUntil);
        return new Queued(now, ticket, Math.max(row.expires, row.sharedUntil), heldBy,
                mine == null && row.expires > now ? row.token : null);
    }

    private List<Place> places(LockConnection connection, long[] clock) throws SQLException {
        List<Place> places = new ArrayList<>();
        for (@Nullable
        Place place : connection.all(database.statements().claims, row -> place(row, clock), id)) {
            if (place != null) {
                places.add(place);
            }
        }
        return places;
    }

    private static @Nullable Place place(ResultSet row, long[] clock) throws SQLException {
        clock[0] = row.getLong(1);
        String token = row.getString(2);
        return token == null ? null : new Place(token, row.getString(3), row.getLong(4), row.getLong(5));
    }

    private Outcome grant(LockConnection connection, LockRow row, long now, boolean own, boolean queued, int others,
            long othersUntil) throws SQLException {
        long fence = own ? row.fence : Math.max(row.fence + 1, now);
        connection.update(database.statements().take, fence, own ? row.since : now, token, owner,
                now + JpaLockBackend.micros(claim.leaseNanos()), othersUntil, id);
        if (queued) {
            connection.update(database.statements().dropClaim, id, token);
        }
        return new Granted(fence, others);
    }

    private void queue(LockConnection connection, LockRow row, long now, boolean queued, long ticket, long othersUntil)
            throws SQLException {
        Statements statements = database.statements();
        long alive = now + ALIVE_MICROS;
        connection.update(statements.queue, Math.max(ticket, row.ticket), Math.max(alive, othersUntil), id);
        if (queued) {
            connection.update(statements.refreshClaim, alive, id, token);
        } else {
            connection.update(statements.insertWaiter, id, token, ticket, owner, now, alive);
        }
    }
}
