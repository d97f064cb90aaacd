package io.quarkiverse.lock.jpa.table;

import java.io.Serializable;
import java.util.Objects;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.WaitNotes;

/** A claim that waits for a name ({@code W}), or one of its several holders ({@code H}). */
@Entity(name = "QuarkusLockClaimRow")
@IdClass(LockClaimRow.Key.class)
@Table(name = LockClaimRow.TABLE)
public class LockClaimRow {

    public static final String TABLE = "quarkus_lock_claim";
    public static final String ALL_COLUMNS = "id, token, kind, lock_mode, lim, ticket, owner, since, expires, fence, asked, note";

    @Id
    @Column(name = "id", length = LockRow.ID_LENGTH, nullable = false)
    String id;

    @Id
    @Column(name = "token", length = LockRow.TOKEN_LENGTH, nullable = false)
    String token;

    @Column(name = "kind", length = 1, nullable = false)
    String kind;

    /** {@code X}, {@code S} or {@code L}. */
    @Column(name = "lock_mode", length = 1, nullable = false)
    String mode;

    @Column(name = "lim", nullable = false)
    int limit;

    /** Orders the waiting claims of a name. */
    @Column(name = "ticket", nullable = false)
    long ticket;

    @Column(name = "owner", length = LockRow.NAME_LENGTH)
    @Nullable
    String owner;

    @Column(name = "since", nullable = false)
    long since;

    @Column(name = "expires", nullable = false)
    long expires;

    @Column(name = "fence", nullable = false)
    long fence;

    /** The same, if the release of this grant was requested. */
    @Column(name = "asked")
    @Nullable
    Long asked;

    /** What the callers that wait with this claim hold; see {@link WaitNotes}. */
    @Column(name = "note", length = WaitNotes.MAX_LENGTH)
    @Nullable
    String note;

    protected LockClaimRow() {
    }

    /** Identifies a claim of a name. */
    public static class Key implements Serializable {

        private static final long serialVersionUID = 1L;

        String id;
        String token;

        public Key() {
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && Objects.equals(id, key.id) && Objects.equals(token, key.token);
        }

        @Override
        public int hashCode() {
            return Objects.hash(id, token);
        }
    }
}
