package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.table.PlacesInLine;
import io.quarkiverse.lock.jpa.table.QueuePosition;
import io.quarkiverse.lock.jpa.table.QueueSnapshot;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Claim;

/**
 * A claim's place in the queue: how far it has come, when to look again, and when the place and the queue's end have to be
 * kept. Near the head of the line, a contended step keeps both soon after the line has moved; elsewhere looks do.
 */
final class ClaimPlace {

    private static final long REFRESH = TimeUnit.MILLISECONDS.toNanos(900);
    /** Twice within the time after which a claim is presumed dead. */
    private static final long KEEP_PLACE = TimeUnit.MICROSECONDS.toNanos(ContendedAcquire.ALIVE_MICROS) * 9 / 20;
    private static final long KEEP_FAR_PLACE = TimeUnit.MICROSECONDS.toNanos(ContendedAcquire.ALIVE_FAR_MICROS) / 2;
    /** When the end of the queue is nearer than this, it is moved on: claims farther back, which do not move it, need it. */
    private static final long QUEUE_ENDS_MICROS = QueueSnapshot.QUEUE_MICROS - ContendedAcquire.ALIVE_MICROS;

    private final Claim claim;
    private final String id;
    private final Statements statements;
    private final PollingPace pace = new PollingPace();

    private long ticket;
    private int ahead;
    /** How many claims were ahead in the last contended step. */
    private int contendedBehind;
    /** The first in line, as of the last look from far back. */
    private @Nullable String head;
    private long refreshAt;

    ClaimPlace(Claim claim, String id, Statements statements) {
        this.claim = claim;
        this.id = id;
        this.statements = statements;
    }

    long ticket() {
        return ticket;
    }

    /**
     * A contended step has made or kept it.
     *
     * @param told whether a notification tells when its turn has come
     * @return the delay until the next step, in ns
     */
    long contended(ContendedAcquire.Queued place, boolean told) {
        ticket = place.ticket();
        ahead = place.ahead();
        contendedBehind = ahead;
        head = null;
        kept();
        return delay(place.now(), place.until(), told);
    }

    /** The same for a look that has found it in line. */
    long seen(QueuePosition seen, boolean told) {
        long at = System.nanoTime();
        if (!PollingPace.near(seen.ahead())) {
            contendedBehind = -1; // what it knew until now was a guess, or is long outdated
        } else if (!PollingPace.near(ahead)) {
            refreshAt = at; // nobody ahead of it may be there to keep the end of the queue
        } else if (seen.ahead() < ahead && refreshAt - at > REFRESH) {
            refreshAt = at + REFRESH;
        }
        if (seen.ahead() < ahead) {
            claim.heldBy(null); // one of those ahead of it may be the holder by now
        } else {
            claim.stillTaken();
        }
        ahead = seen.ahead();
        head = seen.first();
        return delay(seen.now(), seen.until(), told);
    }

    private long delay(long now, long until, boolean told) {
        long at = System.nanoTime();
        long refresh = Math.max(1, refreshAt - at);
        return Math.min(refresh, told ? pace.untilTold(ahead, at, until - now) : pace.untilLook(ahead, at));
    }

    /** Whether a contended step is due because it has come closer to the head since the last one. */
    boolean needsContention() {
        return moved() && due();
    }

    private boolean moved() {
        return PollingPace.near(ahead) && ahead != contendedBehind;
    }

    boolean due() {
        return refreshAt - System.nanoTime() <= 0;
    }

    /** What another claim may look up for it until its next step, after {@code delay}. */
    Look nextLook(PendingClaim pending, long delay) {
        boolean contends = moved();
        return new Look(pending, new PlacesInLine.Wanted(id, claim), System.nanoTime() + delay / 2,
                contends ? refreshAt : refreshAt - KEEP_PLACE / 2, refreshAt, contends);
    }

    /** A contended step or another claim has just kept it. */
    void kept() {
        refreshAt = System.nanoTime() + KEEP_PLACE;
    }

    /** Whether the end of the queue is so near that this claim has to move it on. */
    boolean queueEnds(PlacesInLine.Seen seen) {
        return PollingPace.near(ahead) && seen.queueUntil() - seen.position().now() < QUEUE_ENDS_MICROS;
    }

    /**
     * Moves the end of the queue on, for longer than a place is kept: each name takes a statement. False if the name's row is
     * gone.
     */
    boolean keepQueue(LockConnection connection) throws SQLException {
        return connection.update(statements.keepQueue, QueueSnapshot.QUEUE_MICROS, QueueSnapshot.QUEUE_MICROS, id) == 1;
    }

    /** Looks, and keeps it when that is due. Null when it or the name's row is gone. */
    @Nullable
    QueuePosition look(LockConnection connection) throws SQLException {
        if (!due()) {
            return position(connection);
        }
        boolean near = PollingPace.near(ahead);
        boolean far = PollingPace.far(ahead) && pace.still();
        long alive = far ? ContendedAcquire.ALIVE_FAR_MICROS : ContendedAcquire.ALIVE_MICROS;
        String first = head;
        boolean same = !near && first != null && pace.still()
                && connection.update(statements.keepPlaceBehind, alive, id, claim.token(), id, first) == 1;
        if (!same) {
            // The end of the queue comes first: it may be too late, but not too early
            if (near && !keepQueue(connection)
                    || connection.update(statements.keepPlace, alive, id, claim.token()) == 0) {
                return null;
            }
        }
        refreshAt = System.nanoTime() + (far ? PollingPace.settled(KEEP_FAR_PLACE) : KEEP_PLACE);
        return same ? QueuePosition.same(ahead, first) : position(connection);
    }

    private @Nullable QueuePosition position(LockConnection connection) throws SQLException {
        if (claim.exclusive()) {
            return PollingPace.near(ahead) ? connection.first(statements.turn, QueuePosition::read, ticket, id)
                    : connection.first(statements.turnBehind, QueuePosition::readBehind, ticket, id);
        }
        QueueSnapshot line = QueueSnapshot.read(connection, statements, id, claim.token());
        return line == null ? null : line.turn(claim);
    }
}
