package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.jpa.claim.ClaimRemoval;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.claim.PendingWithdrawals;
import io.quarkiverse.lock.jpa.database.SqlFailure;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.dialect.LockDialect.Released;
import io.quarkiverse.lock.jpa.notify.Notifier;
import io.quarkiverse.lock.jpa.table.Statements;

/** Gives a grant back. The engine retries it after a failure. */
public final class GrantRelease extends NamedOperation<@Nullable Void> {

    private final JpaGrant grant;
    private final Steps steps;
    private final LockDialect dialect;
    private final Statements statements;
    private final Notifier notifier;
    private final ClaimRemoval removal;
    private final ClaimRegistry registry;
    private final PendingWithdrawals withdrawals;
    private final @Nullable Reclaim reclaim;

    public GrantRelease(OperationRunner runner, JpaGrant grant, Steps steps, LockDialect dialect, Statements statements,
            Notifier notifier, ClaimRemoval removal, ClaimRegistry registry, PendingWithdrawals withdrawals,
            @Nullable Reclaim reclaim) {
        super(runner, grant.name(), grant.id());
        this.grant = grant;
        this.steps = steps;
        this.dialect = dialect;
        this.statements = statements;
        this.notifier = notifier;
        this.removal = removal;
        this.registry = registry;
        this.withdrawals = withdrawals;
        this.reclaim = reclaim;
    }

    @Override
    @Nullable
    public Void run(long deadline) throws SQLException {
        boolean kept = grant.keptAt(runner.time().nanoTime());
        boolean gone = ended(deadline);
        if (gone && kept && reclaim != null && reclaim.putBack(steps, deadline, grant, true)) {
            gone = false; // it existed in an earlier life, and its fence counts again
            ended(deadline);
        }
        registry.forget(grant.token());
        if (grant.attempts().openFor() > 0) {
            withdrawals.begin(id);
            withdrawals.withdraw(id, grant.claim(), grant.attempts());
        }
        if (gone && kept) {
            throw new LockLostException(name, "it had ended in the database before its release", null);
        }
        return null;
    }

    /** Whether the grant had already ended. */
    private boolean ended(long deadline) throws SQLException {
        return grant.claim().exclusive() ? alone(deadline) : oneOfSeveral(deadline);
    }

    /** The same, for an exclusive grant. */
    private boolean alone(long deadline) throws SQLException {
        boolean[] lost = new boolean[1];
        steps.<Boolean> call(deadline, connection -> {
            // If a release was tried before, it may have succeeded and lost its reply; if not, the grant had already ended
            boolean tried = grant.releaseTried;
            grant.releaseTried = true;
            Released released = null;
            if (grant.awaited && notifier.enabled()) {
                try {
                    released = dialect.releaseAndWake(connection, statements.ofGrants, id, grant.token());
                } catch (SQLException e) {
                    if (SqlFailure.of(e) != SqlFailure.REFUSED) {
                        throw e;
                    }
                    // Perhaps only the notification failed, after the commit: neither a failure of the release nor a loss
                    tried = true;
                }
            }
            if (released == null) {
                released = dialect.release(connection, statements.ofGrants, id, grant.token());
                if (released == Released.AWAITED || released == Released.ABSENT && tried) {
                    notifier.wakeFirst(connection, id);
                }
            }
            lost[0] = released == Released.ABSENT && !tried;
            return true;
        });
        return lost[0];
    }

    /**
     * The same, for a shared grant. Unknown when the first attempt fails in any way: if that one did it, the next finds
     * nothing.
     */
    private boolean oneOfSeveral(long deadline) throws SQLException {
        boolean tried = grant.releaseTried;
        grant.releaseTried = true;
        return !removal.remove(deadline, id, grant.token()) && !tried;
    }
}
