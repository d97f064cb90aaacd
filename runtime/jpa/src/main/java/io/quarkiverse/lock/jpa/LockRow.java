package io.quarkiverse.lock.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

import org.jspecify.annotations.Nullable;

/**
 * A name that was locked once. All times are microseconds of the database's clock. Written by statements of the lock backend
 * only; here so that Hibernate knows the table, creates and validates it, and locks its rows on every database.
 */
@Entity(name = "QuarkusLockRow")
@Table(name = LockRow.TABLE)
public class LockRow {

    static final String TABLE = "quarkus_lock";
    /** For people: the identity is {@link #id}. */
    static final int NAME_LENGTH = 255;
    static final int ID_LENGTH = 64;
    static final int TOKEN_LENGTH = 32;
    /** What this version writes and understands. */
    static final int FORMAT = 1;
    /** The fence of a row that nobody has held yet: any other says that somebody has. */
    static final int NEVER_HELD = 0;

    /** SHA-256 of namespace and name, so that no collation, padding or index length matters. */
    @Id
    @Column(name = "id", length = ID_LENGTH, nullable = false)
    String id;

    @Column(name = "name", length = NAME_LENGTH, nullable = false)
    String name;

    @Column(name = "format", nullable = false)
    int format;

    /** The last one given out. */
    @Column(name = "fence", nullable = false)
    long fence;

    /** The last one given out to a waiting claim. */
    @Column(name = "ticket", nullable = false)
    long ticket;

    /** Of the exclusive holder. */
    @Column(name = "token", length = TOKEN_LENGTH)
    @Nullable
    String token;

    @Column(name = "owner", length = NAME_LENGTH)
    @Nullable
    String owner;

    /** When the last exclusive grant was made. */
    @Column(name = "since", nullable = false)
    long since;

    /** When the exclusive grant ends; 0 if there is none. */
    @Column(name = "expires", nullable = false)
    long expires;

    /** When the last of the grants that several may have ends. */
    @Column(name = "shared_until", nullable = false)
    long sharedUntil;

    /** When the last waiting claim is given up for dead: until then nobody may take the lock past the queue. */
    @Column(name = "queue_until", nullable = false)
    long queueUntil;

    /**
     * The fence of the exclusive grant that somebody has asked to be given back; negative when its holder has
     * finished, and only keeps the name for some time.
     */
    @Column(name = "asked")
    @Nullable
    Long asked;

    protected LockRow() {
    }

    /** Whether there is nobody behind the exclusive grant any more. */
    boolean kept() {
        return asked != null && asked == -fence;
    }
}
