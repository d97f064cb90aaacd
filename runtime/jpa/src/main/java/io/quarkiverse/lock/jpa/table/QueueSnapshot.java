package io.quarkiverse.lock.jpa.table;

import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.spi.Claim;

/**
 * The claims of a name at one moment, as one of them sees it: how many share it, and who waits, by ticket. It decides who is
 * next. It is reliable only while the name's row is locked; otherwise it is only a look.
 */
public final class QueueSnapshot {

    /**
     * How long a queue with waiters stays valid. Only those near its head extend it, and they may have died together. The next
     * claim then notices when it first keeps its place after theirs have ended, at most 9 s later.
     */
    public static final long QUEUE_MICROS = 15_000_000;

    /**
     * The end of a queue in which nobody is alive. It is over, but there may be rows left in it, of JVMs that may come back.
     */
    public static final long LAPSED = 1;

    /**
     * The token of no claim. Not an empty string, which is NULL in Oracle, and so equal to nothing and different from nothing.
     */
    public static final String NO_TOKEN = "-";

    /** The row of a claim that waits, or of the asking one. */
    public record Place(String token, boolean waits, String mode, int limit, long ticket, long expires, long fence,
            long since) {
    }

    private final String token;
    private long now;
    private long expires;
    private boolean expired;
    private boolean lapsed;
    private Sharers sharers = Sharers.NONE;
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
        return read(connection, statements.line, id, token);
    }

    /** The same with the name's row locked, which says whether anybody waits. */
    public static @Nullable QueueSnapshot read(LockConnection connection, Statements statements, LockRow row, String id,
            String token) throws SQLException {
        return read(connection, row.queueUntil() == 0 ? statements.nobodyInLine : statements.line, id, token);
    }

    /** Runs both statements for a name that has no row. */
    public static void check(LockConnection connection, Statements statements, String id) throws SQLException {
        read(connection, statements.line, id, NO_TOKEN);
        read(connection, statements.nobodyInLine, id, NO_TOKEN);
    }

    private static @Nullable QueueSnapshot read(LockConnection connection, String statement, String id, String token)
            throws SQLException {
        QueueSnapshot line = read(connection, statement, id, token, 0);
        if (line == null || !line.sharers.anyEndedBy(line.now)) {
            return line;
        }
        // The grants of some sharers have ended, which is known only now that the time is
        line = read(connection, statement, id, token, line.now);
        if (line != null) {
            line.expired = true;
        }
        return line;
    }

    private static @Nullable QueueSnapshot read(LockConnection connection, String statement, String id, String token, long time)
            throws SQLException {
        var line = new QueueSnapshot(token);
        return connection.all(statement, line::add, id, token, time, token, id).isEmpty() ? null : line;
    }

    private boolean add(ResultSet row) throws SQLException {
        now = row.getLong(1);
        expires = row.getLong(2);
        sharers = new Sharers(row.getInt(3), row.getInt(4), row.getInt(5), row.getLong(6), row.getLong(7));
        String whose = row.getString(8);
        if (whose != null) {
            add(new Place(whose, "W".equals(row.getString(9)), row.getString(14), row.getInt(15), row.getLong(10),
                    row.getLong(11), row.getLong(12), row.getLong(13)));
        }
        return true;
    }

    private void add(Place place) {
        boolean own = place.token.equals(token);
        if (place.expires <= now && !(own && place.waits)) {
            expired = true;
            lapsed |= place.waits;
            return;
        }
        if (own) {
            mine = place;
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

    /** Whether the asking claim has a place among those who wait. */
    public boolean inLine() {
        return mine != null && mine.waits;
    }

    /**
     * Whether the asking claim shares the name. Where the clock stands still in a transaction, a grant that seemed alive may
     * have been over when somebody else got the name.
     */
    public boolean shares(LockRow row) {
        return mine != null && !mine.waits && mine.since >= row.since;
    }

    /** Those who share the name, without the asking claim. */
    public Sharers sharers() {
        return sharers;
    }

    /** How many others are waiting. */
    public int others() {
        return others;
    }

    /** How many of them wait ahead of the asking claim. */
    public int ahead() {
        return ahead;
    }

    /** The end of the queue without the asking claim; 0 if no other is in it. */
    public long queueUntil() {
        return others > 0 ? now + QUEUE_MICROS : lapsed ? LAPSED : 0;
    }

    /** Nobody is ahead of it. */
    public boolean atTheHead() {
        return first == null || first == mine;
    }

    /** Whether the first waiter could join too, once the asking claim holds the name. */
    public boolean roomBeside(Claim claim) {
        Place waiting = next;
        return waiting != null && waiting.mode.equals(mode(claim)) && sharers.like(waiting.mode)
                && (waiting.mode.equals("S") || sharers.count() + 1 < sharers.smallest(Math.min(claim.limit(), waiting.limit)));
    }

    /** When there may be room for a non-exclusive claim. */
    public long firstEnd() {
        return Math.max(expires, sharers.firstEnd());
    }

    /** What such a claim sees when it only looks. */
    public QueuePosition turn(Claim claim) {
        boolean room = expires <= now && sharers.admit(mode(claim), claim.limit());
        return new QueuePosition(now, room ? 0 : Math.max(now + 1, firstEnd()), ahead, first == null ? null : first.token);
    }
}
