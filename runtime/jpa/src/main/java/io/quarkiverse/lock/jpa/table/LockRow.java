package io.quarkiverse.lock.jpa.table;

import java.sql.ResultSet;
import java.sql.SQLException;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;

/**
 * A name that was locked at least once. All times are microseconds of the database's clock. Only the lock backend's statements
 * read and write it; it is an entity so that Hibernate knows the table, and creates and validates it.
 */
@Entity(name = "QuarkusLockRow")
@Table(name = LockRow.TABLE)
public class LockRow {

    public static final String TABLE = "quarkus_lock";
    public static final String ALL_COLUMNS = "id, name, format, fence, ticket, token, owner, since, expires, shared_until, "
            + "queue_until, asked";
    /** What a step has to know about a name. */
    static final String COLUMNS = "format, fence, ticket, token, owner, since, expires, shared_until, queue_until, asked";
    /** For people: the name is identified by {@link #id}. */
    public static final int NAME_LENGTH = 255;
    public static final int ID_LENGTH = 64;
    public static final int TOKEN_LENGTH = 32;
    /** The format that this version writes and understands. */
    public static final int FORMAT = 1;
    /**
     * The key of a row that belongs to no name: where there is a grace, it says from which life of the database the rows are.
     */
    public static final String MARKER = "marker";
    /** The fence of a row that nobody has held yet; any other fence means that somebody has. */
    public static final int NEVER_HELD = 0;

    /** SHA-256 of namespace and name, so that no collation, padding or index length matters. */
    @Id
    @Column(name = "id", length = ID_LENGTH, nullable = false)
    String id;

    @Column(name = "name", length = NAME_LENGTH, nullable = false)
    String name;

    @Column(name = "format", nullable = false)
    int format;

    /** The last fence given out. */
    @Column(name = "fence", nullable = false)
    long fence;

    /** The last ticket given to a waiting claim. */
    @Column(name = "ticket", nullable = false)
    long ticket;

    /** The exclusive holder's token. */
    @Column(name = "token", length = TOKEN_LENGTH)
    @Nullable
    String token;

    @Column(name = "owner", length = NAME_LENGTH)
    @Nullable
    String owner;

    /** When the last exclusive grant was made. */
    @Column(name = "since", nullable = false)
    long since;

    /** When the exclusive grant ends; 0 if there is none. Negative after a forced release: see {@link #forcedUntil}. */
    @Column(name = "expires", nullable = false)
    long expires;

    /** When the last of the shared grants ends. */
    @Column(name = "shared_until", nullable = false)
    long sharedUntil;

    /** When the last waiting claim is presumed dead: until then, nobody may pass the queue. */
    @Column(name = "queue_until", nullable = false)
    long queueUntil;

    /**
     * The fence of the exclusive grant whose release was requested; negative when its holder has finished, and only keeps the
     * name for some time, and after a forced release. It stays until it is replaced.
     */
    @Column(name = "asked")
    @Nullable
    Long asked;

    protected LockRow() {
    }

    /** Locks a name's row until the transaction ends. Null if the name has none. */
    public static @Nullable LockRow lock(LockConnection connection, Statements statements, String id) throws SQLException {
        return connection.first(statements.lockRow, LockRow::read, id);
    }

    /** Reads a row with {@link #COLUMNS}. */
    public static LockRow read(ResultSet row) throws SQLException {
        var read = new LockRow();
        read.format = row.getInt(1);
        read.fence = row.getLong(2);
        read.ticket = row.getLong(3);
        read.token = row.getString(4);
        read.owner = row.getString(5);
        read.since = row.getLong(6);
        read.expires = row.getLong(7);
        read.sharedUntil = row.getLong(8);
        read.queueUntil = row.getLong(9);
        long asked = row.getLong(10);
        read.asked = row.wasNull() ? null : asked;
        return read;
    }

    public int format() {
        return format;
    }

    public long fence() {
        return fence;
    }

    public long ticket() {
        return ticket;
    }

    public @Nullable String token() {
        return token;
    }

    public @Nullable String owner() {
        return owner;
    }

    public long since() {
        return since;
    }

    public long expires() {
        return expires;
    }

    /** When the grace ends in which the name was released by force; 0 if it was not, or has been granted since. */
    public long forcedUntil() {
        return Math.max(0, -expires);
    }

    public long sharedUntil() {
        return sharedUntil;
    }

    public long queueUntil() {
        return queueUntil;
    }

    /** Whether the release of the exclusive grant was requested. */
    public boolean releaseAsked() {
        return asked != null && asked == fence;
    }

    /**
     * Every grant with a smaller fence is over: it was ended by force, or somebody has held the name alone since; 0 if that is
     * not known.
     */
    public long endedBefore() {
        return asked == null ? 0 : Math.abs(asked);
    }

    /** Whether nobody uses the exclusive grant any more. */
    public boolean kept() {
        return asked != null && asked == -fence;
    }
}
