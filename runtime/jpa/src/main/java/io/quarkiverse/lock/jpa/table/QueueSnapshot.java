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
 * The claims of a name at one moment, as one of them sees it: those who hold it together, and those who wait, by ticket. What
 * decides who is next. It counts only while the name's row is locked; else it is for looking.
 */
public final class QueueSnapshot {

    /**
     * For how long a queue counts in which somebody waits. Only those near its head move its end on, and they may have died
     * together: then the next one finds out when it keeps its place once more after theirs are over, at most 9 s later.
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

    /** Null if the name has no row. {@code token} is whose place is kept though it has expired. */
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

    /** {@code X}, {@code S} or {@code L}, as it is in the database. */
    public static String mode(Claim claim) {
        return claim.mode() == LockMode.SHARED ? "S" : claim.limit() > 0 ? "L" : "X";
    }

    public long now() {
        return now;
    }

    /** Whether there are claims that are over. */
    public boolean expired() {
        return expired;
    }

    /** The place of the one that asks, if it has one: it may wait or hold. */
    @Nullable
    public Place mine() {
        return mine;
    }

    /**
     * Whether the one that asks holds it together with others. Where the clock stands still in a transaction, what has seemed
     * to hold it may have been over when somebody else got it.
     */
    public boolean shares(LockRow row) {
        return mine != null && !mine.waits && mine.since >= row.since;
    }

    /** How many others wait. */
    public int others() {
        return others;
    }

    /** How many of them wait before the one that asks. */
    public int ahead() {
        return ahead;
    }

    /** The end of the queue as it is without the one that asks; 0 if no other waits. */
    public long queueUntil() {
        return others > 0 ? now + QUEUE_MICROS : 0;
    }

    /** Who holds it together, without the one that asks. */
    public List<Place> holders() {
        return holders;
    }

    /** When the last of {@link #holders} ends; 0 if there is none. */
    public long holdersUntil() {
        long until = 0;
        for (Place holder : holders) {
            until = Math.max(until, holder.expires);
        }
        return until;
    }

    /** Nobody is before it. */
    public boolean atTheHead() {
        return first == null || first == mine;
    }

    /**
     * Whether such a claim may join those who hold it together. Of limits the smallest counts, its own or that of a holder:
     * while nodes disagree, nobody gets more company than it allows.
     */
    public boolean fits(String mode, int limit) {
        return holders.isEmpty() || together(mode) && (mode.equals("S") || holders.size() < smallest(limit));
    }

    /** Whether the first of those who wait could join too, once the one that asks holds it. */
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

    /** When there may be room for a claim that is not exclusive. */
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

    /** One of those who hold it together. */
    @Nullable
    public NameHolder heldBy() {
        return holders.isEmpty() ? null : NameHolder.of(holders.get(0).owner, now - holders.get(0).since);
    }
}
