package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.claim.ClaimRemoval;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.claim.Withdrawal;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.dialect.LockDialect.Released;
import io.quarkiverse.lock.jpa.notify.Notifier;

/** Gives a grant back. The engine repeats it when it fails. */
public final class GrantRelease extends NamedOperation<@Nullable Void> {

    private final JpaGrant grant;

    public GrantRelease(JpaLockBackend backend, JpaGrant grant) {
        super(backend, grant.name(), grant.id());
        this.grant = grant;
    }

    @Override
    @Nullable
    public Void run(long deadline) throws SQLException {
        LockDatabase database = backend.database();
        boolean kept = grant.keptAt(backend.time().nanoTime());
        boolean gone = grant.claim().exclusive() ? alone(database, deadline) : oneOfSeveral(database, deadline);
        backend.known().forget(grant.token());
        if (grant.attempts().openFor() > 0) {
            backend.undoings().begin(id);
            new Withdrawal(backend, id, grant.claim(), grant.attempts()).start();
        }
        if (gone && kept) {
            throw new LockLostException(name, "it had ended in the database before its release", null);
        }
        return null;
    }

    /** Whether it had ended before. */
    private boolean alone(LockDatabase database, long deadline) throws SQLException {
        boolean[] lost = new boolean[1];
        database.<Boolean> call(deadline, connection -> {
            // An earlier attempt may have done it and lost its reply; without one, the grant had ended before
            boolean tried = grant.releaseTried;
            grant.releaseTried = true;
            Released released = null;
            if (grant.awaited && database.tells()) {
                try {
                    released = database.dialect().releaseAndWake(connection, database.statements(), id, grant.token());
                } catch (SQLException e) {
                    if (SqlFailure.of(e) != SqlFailure.REFUSED) {
                        throw e;
                    }
                    // Perhaps only that nobody could be told, after the commit: no failure of the release, nor a loss
                    tried = true;
                }
            }
            if (released == null) {
                released = database.dialect().release(connection, database.statements(), id, grant.token());
                if (released == Released.AWAITED || released == Released.ABSENT && tried) {
                    Notifier.wakeFirst(database, connection, id);
                }
            }
            lost[0] = released == Released.ABSENT && !tried;
            return true;
        });
        return lost[0];
    }

    /**
     * The same. Not known when the first attempt fails in whatever way: the next one finds nothing if that one was the first.
     */
    private boolean oneOfSeveral(LockDatabase database, long deadline) throws SQLException {
        boolean tried = grant.releaseTried;
        grant.releaseTried = true;
        return !ClaimRemoval.of(database, deadline, id, grant.token()) && !tried;
    }
}
