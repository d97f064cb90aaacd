package io.quarkiverse.lock.jpa.table;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.spi.Claim;

/**
 * The claims of a name at one moment, as one of them sees it: those who share it, and those who wait, by ticket. It decides who
 * is next. It is reliable only while the name's row is locked; otherwise it is only a look.
 */
public final class QueueSnapshot {

    /**
     * How long a queue with waiters stays valid. Only those near its head extend it, and they may have died together. The next
     * claim then notices when it first keeps its place after theirs have ended, at most 9 s later.
     */
    public static final long QUEUE_MICROS = 15_000_000;

    /** A claim's row. */
    public record Place(String token, boolean waits, String mode, int limit, long ticket, long expires, @Nullable String owner,
            long fence, long since) {
    }

    private final String token;
    private final List<Place> holders = new ArrayList<>();
    private long now;
    private long expires;
    private boolean expired;
    private @Nullable Place mine;
    private @Nullable Place first;
    private @Nullable Place next;
    private int others;
    private int ahead;

    private QueueSnapshot(String token) {
        this.token = token;
    }

    /** Null if the name has no row. The claim with {@code token} keeps its place even if it has expired. */
    public static @Nullable QueueSnapshot read(LockConnection connection, Statements statements, String id, String token)
            throws SQLException {
        var line = new QueueSnapshot(token);
        return connection.all(statements.claims, line::add, id).isEmpty() ? null : line;
    }

    private boolean add(ResultSet row) throws SQLException {
        now = row.getLong(1);
        expires = row.getLong(11);
        String whose = row.getString(2);
        if (whose != null) {
            add(new Place(whose, "W".equals(row.getString(3)), row.getString(9), row.getInt(10), row.getLong(4),
                    row.getLong(5), row.getString(6), row.getLong(7), row.getLong(8)));
        }
        return true;
    }

    private void add(Place place) {
        boolean own = place.token.equals(token);
        if (place.expires <= now && !(own && place.waits)) {
            expired = true;
            return;
        }
        if (own) {
            mine = place;
        } else if (!place.waits) {
            holders.add(place);
            return;
        } else {
            others++;
            ahead += mine == null ? 1 : 0;
            next = next == null ? place : next;
        }
        if (place.waits) {
            first = first == null ? place : first;
        }
    }

    /** {@code X}, {@code S} or {@code L}, as in the database. */
    public static String mode(Claim claim) {
        return claim.mode() == LockMode.SHARED ? "S" : claim.limit() > 0 ? "L" : "X";
    }

    public long now() {
        return now;
    }

    /** Whether there are expired claims. */
    public boolean expired() {
        return expired;
    }

    /** The place of the asking claim, if it has one: it may wait or hold. */
    @Nullable
    public Place mine() {
        return mine;
    }

    /**
     * Whether the asking claim shares the name. Where the clock stands still in a transaction, a grant that seemed alive may
     * have been over when somebody else got the name.
     */
    public boolean shares(LockRow row) {
        return mine != null && !mine.waits && mine.since >= row.since;
    }

    /** How many others are waiting. */
    public int others() {
        return others;
    }

    /** How many of them wait ahead of the asking claim. */
    public int ahead() {
        return ahead;
    }

    /** The end of the queue without the asking claim; 0 if no other waits. */
    public long queueUntil() {
        return others > 0 ? now + QUEUE_MICROS : 0;
    }

    /** The holders that share the name, without the asking claim. */
    public List<Place> holders() {
        return holders;
    }

    /** When the last of the {@link #holders} ends; 0 if there are none. */
    public long holdersUntil() {
        long until = 0;
        for (Place holder : holders) {
            until = Math.max(until, holder.expires);
        }
        return until;
    }

    /** Nobody is ahead of it. */
    public boolean atTheHead() {
        return first == null || first == mine;
    }

    /**
     * Whether such a claim may join those who share the name. The smallest limit counts, its own or a holder's: while nodes
     * disagree, no holder gets more company than its limit allows.
     */
    public boolean fits(String mode, int limit) {
        return holders.isEmpty() || together(mode) && (mode.equals("S") || holders.size() < smallest(limit));
    }

    /** Whether the first waiter could join too, once the asking claim holds the name. */
    public boolean roomBeside(Claim claim) {
        Place waiting = next;
        return waiting != null && waiting.mode.equals(mode(claim)) && together(waiting.mode)
                && (waiting.mode.equals("S") || holders.size() + 1 < smallest(Math.min(claim.limit(), waiting.limit)));
    }

    private boolean together(String mode) {
        for (Place holder : holders) {
            if (!holder.mode.equals(mode)) {
                return false;
            }
        }
        return !mode.equals("X");
    }

    private int smallest(int limit) {
        int smallest = limit;
        for (Place holder : holders) {
            smallest = Math.min(smallest, holder.limit);
        }
        return smallest;
    }

    /** When there may be room for a non-exclusive claim. */
    public long firstEnd() {
        long end = Long.MAX_VALUE;
        for (Place holder : holders) {
            end = Math.min(end, holder.expires);
        }
        return holders.isEmpty() ? expires : Math.max(expires, end);
    }

    /** What such a claim sees when it only looks. */
    public QueuePosition turn(Claim claim) {
        boolean room = expires <= now && fits(mode(claim), claim.limit());
        return new QueuePosition(now, room ? 0 : Math.max(now + 1, firstEnd()), ahead, first == null ? null : first.token);
    }

    /** One of those who share the name. */
    @Nullable
    public NameHolder heldBy() {
        return holders.isEmpty() ? null : NameHolder.of(holders.get(0).owner, now - holders.get(0).since);
    }
}
