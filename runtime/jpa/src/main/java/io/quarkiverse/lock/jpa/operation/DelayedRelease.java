package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.database.DatabaseClock;

/** Lets a grant end some time from now, by one last renewal for as long as the name stays taken. For exclusive grants only. */
public final class DelayedRelease extends NamedOperation<@Nullable Void> {

    private final JpaGrant grant;
    private final long nanos;
    private final ClaimRegistry registry;
    private final @Nullable Reclaim reclaim;

    public DelayedRelease(OperationRunner runner, JpaGrant grant, long nanos,
            ClaimRegistry registry, @Nullable Reclaim reclaim) {
        super(runner, grant.name(), grant.id());
        this.grant = grant;
        this.nanos = nanos;
        this.registry = registry;
        this.reclaim = reclaim;
    }

    @Override
    @Nullable
    public Void run(long deadline) throws SQLException {
        boolean kept = grant.keptAt(runner.time().nanoTime());
        boolean tried = grant.releaseTried;
        boolean found = keep(deadline);
        if (!found && kept && !tried && reclaim != null && reclaim.putBack(steps, deadline, grant, true)) {
            found = keep(deadline);
        }
        registry.over(grant);
        if (!found && kept && !tried) {
            throw new LockLostException(name, "it had ended in the database before its release", null);
        }
        return null;
    }

    private boolean keep(long deadline) throws SQLException {
        return steps.call(deadline, connection -> {
            grant.releaseTried = true;
            return connection.update(statements.keep, DatabaseClock.micros(nanos), id, grant.token()) == 1;
        });
    }
}
