package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.claim.JpaGrant;

/** Lets a grant end some time from now: one last renewal, for as long as the name is to stay taken. Exclusive ones only. */
public final class DelayedRelease extends NamedOperation<@Nullable Void> {

    private final JpaGrant grant;
    private final long nanos;

    public DelayedRelease(JpaLockBackend backend, JpaGrant grant, long nanos) {
        super(backend, grant.name());
        this.grant = grant;
        this.nanos = nanos;
    }

    @Override
    @Nullable
    public Void run(long deadline) throws SQLException {
        LockDatabase database = backend.database();
        boolean kept = grant.keptAt(backend.time().nanoTime());
        boolean tried = grant.releaseTried;
        boolean[] found = new boolean[1];
        database.<Boolean> call(deadline, connection -> {
            grant.releaseTried = true;
            found[0] = connection.update(database.statements().keep, JpaLockBackend.micros(nanos), id, grant.token()) == 1;
            return true;
        });
        backend.known().forget(grant.token());
        if (!found[0] && kept && !tried) {
            throw new LockLostException(name, "it had ended in the database before its release", null);
        }
        return null;
    }
}
