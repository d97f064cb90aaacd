package io.quarkiverse.lock.jpa.table;

import java.util.Arrays;

import io.quarkiverse.lock.jpa.dialect.GrantSql;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.dialect.NotifySql;

/** The texts of all statements, made once. Parameters are listed in the order in which they are bound. */
public final class Statements {

    /** The most grants that one statement renews, and the most names whose dead claims one deletes. */
    public static final int BATCH = 500;

    /** The uncontended acquire. See {@link #grantParameters}. */
    public final String grant;
    /** The first acquire of a name. See {@link #insertParameters}. */
    public final String insert;
    /** id, token: fence, now */
    public final String readBack;
    /** id: what {@link NameState} reads */
    public final String state;
    /** note, id, token: of a waiting claim */
    public final String note;
    /** id: what {@link NotedLine} reads, of each claim of the row, if any */
    public final String notes;
    /** id: what {@link LockRow} reads; locks the row until the transaction ends */
    public final String lockRow;
    /** ticket, id: what {@link QueuePosition} reads */
    public final String turn;
    /** ticket, id: the same, and the token of the first waiter */
    public final String turnBehind;
    /** id: now, and each claim of the row by ticket, if any */
    public final String claims;
    /** id, token, time, token, id: what {@link QueueSnapshot} reads, sharers up to that time left out */
    final String line;
    /** The same where nobody waits: it does not look for waiters */
    final String nobodyInLine;
    /** id, time, token: what {@link Sharer} reads of all who share the name at that time, without this token */
    final String sharers;
    /** id, time, token: the same of the one who came first */
    final String sharer;
    /** now alone */
    public final String now;
    /** id, now, token: except for this token's place, if it waits */
    public final String dropExpired;
    /** id, token */
    public final String dropClaim;
    /** expires, id, token */
    public final String refreshClaim;
    /** alive micros, id, token: its place in the queue is unchanged */
    public final String keepPlace;
    /** alive micros, id, token, id, token of the first waiter: the same, if that one is still the first */
    public final String keepPlaceBehind;
    /** alive micros twice, id: nobody passes the waiters */
    public final String keepQueue;
    /** id, token, kind, mode, limit, ticket, owner, since, expires, fence */
    public final String insertClaim;
    /** since, expires, fence, id, token: turns an existing claim into one that holds */
    public final String holdClaim;
    /** id, name: the row of a name that nobody holds */
    public final String insertFree;
    /** ticket, queue_until, id */
    public final String queue;
    /** since, shared_until, queue_until, id */
    public final String settle;
    /** fence, since, token, owner, expires, queue_until, id */
    public final String take;
    /** fence, shared_until, queue_until, id: from now on several hold the name */
    public final String share;
    /** id, token */
    public final String release;
    /** id, token, channel, id: the same, and then {@link #wakeFirst}, each with its own commit */
    public final String releaseAndWake;
    /** id, token: the same without an answer */
    public final String forget;
    /** fence, id */
    public final String clear;
    /** id: nobody may assert any longer that it holds this name, whatever it has been told */
    public final String forced;
    /**
     * micros from now, id, token: when it is to end, whether or not its release was requested; it can no longer be requested
     */
    public final String keep;
    /** micros from now, id, token, guard: when it is to end, earlier than it would have */
    public final String shorten;
    /** id: removes all claims that hold */
    public final String dropHolders;
    /** channel, id: notifies the JVM of the first waiting claim that it is its turn */
    public final String wakeFirst;
    /** id, idle micros: whether there is a row that is not idle, by what is committed */
    public final String inUse;

    /** id: requests the release of the exclusive grant */
    public final String ask;
    /** id: the same for shared grants */
    public final String askSharers;

    /** The statements whose results each database returns in its own way. */
    public final GrantSql ofGrants;

    private static final String IS_ASKED = "CASE WHEN asked = fence THEN 1 ELSE 0 END";

    /** The beginning of {@link #turns(int)}. */
    private final String turns;

    private final String lockTable;
    private final String claimTable;
    private final String nowText;
    private final LockDialect dialect;

    public Statements(LockDialect dialect, String lockTable, String claimTable) {
        this(dialect, lockTable, claimTable, "");
    }

    /** @param open ends the condition of granting statements, where nothing may be granted in a grace */
    public Statements(LockDialect dialect, String lockTable, String claimTable, String open) {
        this.lockTable = lockTable;
        this.claimTable = claimTable;
        String now = dialect.now();
        nowText = now;
        this.dialect = dialect;
        String ownAndLive = "token = ? AND expires > " + now;
        String free = "expires <= " + now + " AND shared_until <= " + now + " AND queue_until <= " + now;
        // A name that is kept for nobody no longer belongs to its holder, whatever the holder sent before it finished
        String own = ownAndLive + " AND (asked IS NULL OR asked <> -fence)";
        grant = dialect.bounded(dialect.grantSql(lockTable,
                "CASE WHEN " + ownAndLive + " THEN fence WHEN fence >= " + now + " THEN fence + 1 ELSE " + now + " END",
                "since = CASE WHEN " + ownAndLive + " THEN since ELSE " + now + " END, token = ?, owner = ?, expires = "
                        + atLeast(now),
                "id = ? AND format = " + LockRow.FORMAT + " AND " + dialect.nowAtRow() + " <= ? AND ((" + own
                        + ") OR (" + free + "))" + open + dialect.durably()));
        insert = dialect.bounded(dialect.insertSql("INSERT INTO " + lockTable
                + " (id, name, format, fence, ticket, token, owner, since, expires, shared_until, queue_until) SELECT ?, ?, "
                + LockRow.FORMAT + ", " + now + ", 0, ?, ?, " + now + ", " + now + " + ?, 0, 0" + dialect.fromNothing()
                + " WHERE " + now + " <= ?" + open + dialect.durably()));
        readBack = "SELECT fence, " + now + " FROM " + lockTable + " WHERE id = ? AND token = ?";
        state = "SELECT " + now + ", format, fence, token, owner, since, expires, shared_until, queue_until, asked FROM "
                + lockTable + " WHERE id = ?";
        lockRow = dialect.lockSql(LockRow.COLUMNS, lockTable);
        String look = "SELECT " + now + ", l.expires, l.shared_until, (SELECT COUNT(*)";
        String position = look + waiting("c", "l") + " AND c.ticket < ?)";
        turns = look + waiting("c", "l") + " AND c.ticket < w.ticket), l.queue_until, w.token" + ofHolders("COUNT(*)")
                + ofHolders("MIN(h.lim)") + ofHolders("MAX(h.lim)") + ofHolders("MIN(h.expires)") + " FROM " + lockTable
                + " l JOIN " + claimTable
                + " w ON w.id = l.id WHERE w.kind = 'W' AND l.id IN (";
        turn = position + " FROM " + lockTable + " l WHERE l.id = ?";
        turnBehind = position + ", (SELECT MIN(f.token)" + waiting("f", "l") + " AND f.ticket = (SELECT MIN(t.ticket)"
                + waiting("t", "f") + ")) FROM " + lockTable + " l WHERE l.id = ?";
        claims = "SELECT " + now + ", c.token, c.kind, c.ticket, c.expires, c.owner, c.fence, c.since, c.lock_mode, c.lim, "
                + "l.expires FROM " + lockTable + " l LEFT JOIN " + claimTable
                + " c ON c.id = l.id WHERE l.id = ? ORDER BY c.ticket";
        // An aggregate without GROUP BY has one row, also when nobody shares the name
        String sharing = "SELECT " + now + ", l.expires, h.holders, h.lim_min, h.lim_max, h.first_end, h.last_end, c.token, "
                + "c.kind, c.ticket, c.expires, c.fence, c.since, c.lock_mode, c.lim FROM " + lockTable
                + " l CROSS JOIN (SELECT COUNT(*) AS holders, MIN(lim) AS lim_min, MAX(lim) AS lim_max, MIN(expires) AS first_end, "
                + "MAX(expires) AS last_end FROM " + claimTable
                + " WHERE id = ? AND kind = 'H' AND token <> ? AND expires > ?) h LEFT JOIN " + claimTable
                + " c ON c.id = l.id AND ";
        line = sharing + "(c.kind = 'W' OR c.token = ?) WHERE l.id = ? ORDER BY c.ticket";
        nobodyInLine = sharing + "c.token = ? WHERE l.id = ?";
        sharers = "SELECT token, lock_mode, owner, fence, since FROM " + claimTable
                + " WHERE id = ? AND kind = 'H' AND expires > ? AND token <> ? ORDER BY ticket";
        sharer = dialect.limited(sharers, 1);
        note = dialect.bounded("UPDATE " + claimTable + " SET note = ? WHERE id = ? AND token = ? AND kind = 'W'");
        notes = "SELECT " + now + ", l.expires, l.fence, c.token, c.kind, c.expires, c.owner, c.fence, c.since, c.lock_mode, "
                + "c.lim, c.note FROM " + lockTable + " l LEFT JOIN " + claimTable
                + " c ON c.id = l.id WHERE l.id = ? AND l.format = " + LockRow.FORMAT;
        this.now = "SELECT " + now + dialect.fromNothing();
        dropExpired = "DELETE FROM " + claimTable
                + " WHERE id = ? AND expires <= ? AND NOT (token = ? AND kind = 'W')";
        dropClaim = "DELETE FROM " + claimTable + " WHERE id = ? AND token = ?";
        refreshClaim = "UPDATE " + claimTable + " SET expires = ? WHERE id = ? AND token = ?";
        keepPlace = dialect.bounded("UPDATE " + claimTable + " SET expires = " + now
                + " + ? WHERE id = ? AND token = ? AND kind = 'W'");
        // MySQL reads a table that it changes only as the result of another query, and sees through a trivial one
        keepPlaceBehind = dialect.bounded("UPDATE " + claimTable + " SET expires = " + now
                + " + ? WHERE id = ? AND token = ? AND kind = 'W' AND 1 = (SELECT f.waits FROM (SELECT COUNT(*) AS waits FROM "
                + claimTable + " c WHERE c.id = ? AND c.token = ? AND c.kind = 'W' AND c.expires > " + now + ") f)");
        keepQueue = dialect.bounded("UPDATE " + lockTable + " SET queue_until = CASE WHEN queue_until > " + now
                + " + ? THEN queue_until ELSE " + now + " + ? END WHERE id = ?");
        insertClaim = "INSERT INTO " + claimTable
                + " (id, token, kind, lock_mode, lim, ticket, owner, since, expires, fence) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        holdClaim = "UPDATE " + claimTable
                + " SET kind = 'H', since = ?, expires = ?, fence = ? WHERE id = ? AND token = ?";
        insertFree = dialect.bounded(dialect.insertSql("INSERT INTO " + lockTable
                + " (id, name, format, fence, ticket, token, owner, since, expires, shared_until, queue_until) VALUES (?, ?, "
                + LockRow.FORMAT + ", " + LockRow.NEVER_HELD + ", 0, NULL, NULL, " + now + ", 0, 0, 0)"));
        queue = "UPDATE " + lockTable + " SET ticket = ?, queue_until = ? WHERE id = ?";
        settle = "UPDATE " + lockTable + " SET since = ?, shared_until = ?, queue_until = ? WHERE id = ?";
        take = "UPDATE " + lockTable
                + " SET fence = ?, since = ?, token = ?, owner = ?, expires = ?, queue_until = ? WHERE id = ?";
        share = "UPDATE " + lockTable
                + " SET fence = ?, token = NULL, owner = NULL, expires = 0, shared_until = ?, queue_until = ? WHERE id = ?";
        forget = dialect.bounded("UPDATE " + lockTable
                + " SET token = NULL, owner = NULL, expires = 0 WHERE id = ? AND token = ?");
        release = dialect.releaseSql(forget);
        clear = "UPDATE " + lockTable
                + " SET token = NULL, owner = NULL, expires = 0, shared_until = 0, fence = ? WHERE id = ?";
        forced = "UPDATE " + lockTable + " SET asked = -fence, expires = -COALESCE((SELECT m.expires FROM " + lockTable
                + " m WHERE m.id = '" + LockRow.MARKER + "' AND m.expires > " + now + "), 0) WHERE id = ?";
        ask = "UPDATE " + lockTable + " SET asked = fence WHERE id = ? AND expires > " + now;
        askSharers = "UPDATE " + claimTable + " SET asked = fence WHERE id = ? AND kind = 'H' AND expires > " + now;
        keep = dialect.bounded("UPDATE " + lockTable + " SET expires = " + now + " + ?, asked = -fence WHERE id = ? AND "
                + ownAndLive + dialect.durably());
        shorten = dialect.bounded("UPDATE " + lockTable + " SET expires = " + now + " + ? WHERE id = ? AND " + ownAndLive
                + " AND (asked IS NULL OR asked <> -fence) AND " + dialect.nowAtRow() + " <= ?");
        dropHolders = "DELETE FROM " + claimTable + " WHERE id = ? AND kind = 'H'";
        inUse = "SELECT 1 FROM " + lockTable + " WHERE id = ? AND NOT (" + idleSince() + ")";
        wakeFirst = "SELECT pg_notify(?, first.message), " + NotifySql.AT_ONCE + " FROM (SELECT '"
                + NotifySql.TURN
                + " ' || id || ' ' || token AS message FROM "
                + claimTable + " WHERE id = ? AND kind = 'W' AND expires > " + now + " ORDER BY ticket LIMIT 1) first";
        releaseAndWake = "BEGIN; " + release + "; COMMIT; " + wakeFirst;
        ofGrants = new GrantSql(grant, insert, readBack, release, releaseAndWake);
    }

    /** The waiters for a name, as {@code alias}: the rest of a query on them. */
    private String waiting(String alias, String name) {
        return " FROM " + claimTable + " " + alias + " WHERE " + alias + ".id = " + name + ".id AND " + alias
                + ".kind = 'W' AND " + alias + ".expires > " + nowText;
    }

    /** A value of those who share a name, for a claim {@code w} that may do so; 0 for any other. */
    private String ofHolders(String what) {
        return ", CASE WHEN w.lock_mode = 'X' THEN 0 ELSE (SELECT " + what + " FROM " + claimTable
                + " h WHERE h.id = l.id AND h.kind = 'H' AND h.expires > " + nowText + ") END";
    }

    /** last id: the next rows by id, held or not: what {@link NameState} reads, id, name */
    public String page(int rows) {
        return dialect
                .limited("SELECT " + nowText + ", format, fence, token, owner, since, expires, shared_until, queue_until, "
                        + "asked, id, name FROM " + lockTable + " WHERE id > ? ORDER BY id", rows);
    }

    /** {@code size} ids: the claims of these names by ticket; what {@link #claims} returns for one, and the id */
    public String claimsOf(int size) {
        return "SELECT " + nowText + ", token, kind, ticket, expires, owner, fence, since, lock_mode, lim, id FROM "
                + claimTable
                + " WHERE id IN (" + marks(size) + ") ORDER BY id, ticket";
    }

    public Object[] grantParameters(String id, String token, String owner, long leaseMicros, long guard) {
        return new Object[] { token, token, token, owner, leaseMicros, leaseMicros, id, guard, token };
    }

    public Object[] insertParameters(String id, String name, String token, String owner, long leaseMicros, long guard) {
        return new Object[] { id, name, token, owner, leaseMicros, guard };
    }

    /**
     * lease twice, {@code size} ids, {@code size} tokens; the tokens are random, so pairing them with the ids would add
     * nothing. Skips grants whose release is requested: the renewal notices that they are missing and looks closer, which costs
     * the others nothing. It also skips a grant that only keeps its name: the renewal may have been sent before the release.
     */
    public String renew(int size) {
        return renew(size, "(asked IS NULL OR asked NOT IN (fence, -fence))");
    }

    /** The same for grants whose release is requested. */
    public String renewAsked(int size) {
        return renew(size, "asked = fence");
    }

    private String renew(int size, String which) {
        return dialect.bounded("UPDATE " + dialect.byKey(lockTable) + " SET expires = " + atLeast(nowText) + " WHERE id IN ("
                + marks(size) + ") AND token IN (" + marks(size) + ") AND expires > " + nowText + " AND " + which
                + dialect.durably());
    }

    /**
     * lease twice: an end of the grant that is no earlier than its current one. A request for less may leave some buffer after
     * a request for more, and the holder relies on the latter.
     */
    private static String atLeast(String now) {
        return "CASE WHEN expires > " + now + " + ? THEN expires ELSE " + now + " + ? END";
    }

    /** {@code size} ids: now, id, token, expires, queue_until, 1 if the release is requested */
    public String holders(int size) {
        return "SELECT " + nowText + ", id, token, expires, queue_until, " + IS_ASKED + " FROM " + lockTable
                + " WHERE id IN (" + marks(size) + ")";
    }

    /** {@code size} ids, {@code size} tokens, now: id, token, since and 1 if the release is requested, of live shared grants */
    public String sharers(int size) {
        return "SELECT id, token, since, " + IS_ASKED + " FROM " + claimTable + " WHERE id IN (" + marks(size)
                + ") AND token IN (" + marks(size)
                + ") AND kind = 'H' AND expires > ?";
    }

    /** expires, {@code size} ids, {@code size} tokens */
    public String renewSharers(int size) {
        return "UPDATE " + dialect.byKey(claimTable) + " SET expires = ? WHERE id IN (" + marks(size) + ") AND token IN ("
                + marks(size)
                + ") AND kind = 'H'";
    }

    /** {@code size} ids of locked rows: their names are shared until the last of those grants ends */
    public String sharedUntil(int size) {
        return "UPDATE " + dialect.byKey(lockTable) + " SET shared_until = (SELECT COALESCE(MAX(c.expires), 0) FROM "
                + claimTable
                + " c WHERE c.id = " + lockTable + ".id AND c.kind = 'H') WHERE id IN (" + marks(size) + ")";
    }

    /**
     * {@code size} ids, {@code size} tokens of waiting claims: what {@link QueuePosition} reads, queue_until, token; of those
     * who share the name: how many there are, the smallest and the greatest limit, when the first of them ends
     */
    public String turns(int size) {
        return turns + marks(size) + ") AND w.token IN (" + marks(size) + ")";
    }

    /** alive micros, {@code size} times id and token: {@link #keepPlace} for each */
    public String keepPlaces(int size) {
        String[] each = new String[size];
        Arrays.fill(each, "id = ? AND token = ?");
        return dialect.briefly("UPDATE " + dialect.byKey(claimTable) + " SET expires = " + nowText
                + " + ? WHERE kind = 'W' AND (" + String.join(" OR ", each) + ")");
    }

    /** last id: the last of the next rows by id, whatever they are; null if there are none */
    String pageEnd(int rows) {
        return pageEnd(lockTable, rows);
    }

    /** The same for claims. */
    String claimPageEnd(int rows) {
        return pageEnd(claimTable, rows);
    }

    private String pageEnd(String table, int rows) {
        return "SELECT MAX(p.id) FROM ("
                + dialect.limited("SELECT id FROM " + table + " WHERE id > ? ORDER BY id", rows) + ") p";
    }

    /** last id, id of the last row to look at, idle micros: ids of idle rows */
    String idle(int rows) {
        return dialect.limited("SELECT id FROM " + lockTable + " WHERE id > ? AND id <= ? AND " + idleSince() + " ORDER BY id",
                rows);
    }

    /** last id, id of the last claim to look at: ids of names that have dead claims and no row */
    String orphans() {
        return "SELECT DISTINCT id FROM " + claimTable + " WHERE id > ? AND id <= ? AND " + orphaned();
    }

    /** {@code size} ids, idle micros: those that are idle and not locked by anyone; locks them until the transaction ends */
    public String lockIdle(int size) {
        return dialect.briefly(dialect.lockUnlockedSql("id", lockTable, "id IN (" + marks(size) + ") AND " + idleSince()));
    }

    /**
     * {@code size} ids of locked rows, idle micros: repeats the condition, as not every database was tested to recheck it when
     * it locks a row
     */
    public String purge(int size) {
        return dialect.deleteByKey(lockTable) + " WHERE id IN (" + marks(size) + ") AND " + idleSince();
    }

    /** {@code size} ids: claims that died in the queue of a name whose row is gone */
    public String purgeClaims(int size) {
        return dialect.deleteByKey(claimTable) + " WHERE id IN (" + marks(size) + ") AND " + orphaned();
    }

    /** A count, unlike EXISTS, is not turned into a join, for which MariaDB may read all names. */
    private String orphaned() {
        return "expires <= " + nowText + " AND 0 = (SELECT COUNT(*) FROM " + dialect.byKey(lockTable + " l") + " WHERE l.id = "
                + claimTable + ".id)";
    }

    /**
     * Only rows whose fence the clock has passed: a newly made row begins at the clock, and so never below the previous one.
     */
    private String idleSince() {
        return "format = " + LockRow.FORMAT + " AND expires <= " + nowText + " AND shared_until <= " + nowText
                + " AND queue_until <= " + nowText + " AND fence < "
                + nowText + " AND since < " + nowText + " - ?";
    }

    private static String marks(int size) {
        String[] marks = new String[size];
        Arrays.fill(marks, "?");
        return String.join(", ", marks);
    }
}
