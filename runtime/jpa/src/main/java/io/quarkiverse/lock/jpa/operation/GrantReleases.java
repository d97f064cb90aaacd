package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.jpa.claim.ClaimRemoval;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.dialect.LockDialect.Released;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.smallrye.mutiny.Uni;

/** Gives grants back. The engine retries a release after a failure. */
public final class GrantReleases {

    private final OperationRunner runner;
    private final LockDialect dialect;
    private final Notifier notifier;
    private final ClaimRemoval removal;
    private final ClaimRegistry registry;
    private final @Nullable Reclaim reclaim;

    public GrantReleases(OperationRunner runner, LockDialect dialect, Notifier notifier,
            ClaimRemoval removal, ClaimRegistry registry, @Nullable Reclaim reclaim) {
        this.runner = runner;
        this.dialect = dialect;
        this.notifier = notifier;
        this.removal = removal;
        this.registry = registry;
        this.reclaim = reclaim;
    }

    public Uni<@Nullable Void> release(JpaGrant grant) {
        return new NamedOperation<>(runner, grant.name(), grant.id()) {

            @Override
            @Nullable
            public Void run(long deadline) throws SQLException {
                giveBack(grant, deadline);
                return null;
            }
        };
    }

    private void giveBack(JpaGrant grant, long deadline) throws SQLException {
        boolean kept = grant.keptAt(runner.time().nanoTime());
        boolean gone = ended(grant, deadline);
        if (gone && kept && reclaim != null && reclaim.putBack(runner.steps(), deadline, grant, true)) {
            gone = false; // it existed in an earlier life, and its fence counts again
            ended(grant, deadline);
        }
        registry.over(grant);
        if (gone && kept) {
            throw new LockLostException(grant.name(), "it had ended in the database before its release", null);
        }
    }

    /** Whether the grant had already ended. */
    private boolean ended(JpaGrant grant, long deadline) throws SQLException {
        return grant.claim().exclusive() ? alone(grant, deadline) : oneOfSeveral(grant, deadline);
    }

    /** The same, for an exclusive grant. */
    private boolean alone(JpaGrant grant, long deadline) throws SQLException {
        return runner.steps().call(deadline, connection -> {
            // If a release was tried before, it may have succeeded and lost its reply; if not, the grant had already ended
            boolean tried = grant.releaseTried;
            grant.releaseTried = true;
            Released released = null;
            if (grant.awaited && notifier.proven()) {
                try {
                    released = dialect.releaseAndWake(connection, runner.statements().ofGrants, grant.id(), grant.token());
                } catch (SQLException e) {
                    if (!SqlFailure.of(e).denies()) {
                        throw e;
                    }
                    // Perhaps only the notification failed, after the commit: neither a failure of the release nor a loss
                    tried = true;
                }
            }
            if (released == null) {
                released = released(connection, grant, tried);
                if (released == Released.AWAITED || released == Released.ABSENT && tried) {
                    notifier.wakeFirst(connection, grant.id());
                }
            }
            return released == Released.ABSENT && !tried;
        });
    }

    private Released released(LockConnection connection, JpaGrant grant, boolean triedBefore) throws SQLException {
        try {
            return dialect.release(connection, runner.statements().ofGrants, grant.id(), grant.token());
        } catch (SQLException e) {
            if (SqlFailure.of(e).undone()) {
                grant.releaseTried = triedBefore;
            }
            throw e;
        }
    }

    /**
     * The same, for a shared grant. Unknown when the first attempt fails in any way: if that one did it, the next finds
     * nothing.
     */
    private boolean oneOfSeveral(JpaGrant grant, long deadline) throws SQLException {
        boolean tried = grant.releaseTried;
        grant.releaseTried = true;
        return !removal.remove(deadline, grant.id(), grant.token()) && !tried;
    }
}
