package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.table.Statements;

/** Lets a grant end some time from now: one last renewal, for as long as the name is to stay taken. Exclusive ones only. */
public final class DelayedRelease extends NamedOperation<@Nullable Void> {

    private final JpaGrant grant;
    private final long nanos;
    private final Steps steps;
    private final Statements statements;
    private final ClaimRegistry registry;

    public DelayedRelease(OperationRunner runner, JpaGrant grant, long nanos, Steps steps, Statements statements,
            ClaimRegistry registry) {
        super(runner, grant.name(), grant.id());
        this.grant = grant;
        this.nanos = nanos;
        this.steps = steps;
        this.statements = statements;
        this.registry = registry;
    }

    @Override
    @Nullable
    public Void run(long deadline) throws SQLException {
        boolean kept = grant.keptAt(runner.time().nanoTime());
        boolean tried = grant.releaseTried;
        boolean[] found = new boolean[1];
        steps.<Boolean> call(deadline, connection -> {
            grant.releaseTried = true;
            found[0] = connection.update(statements.keep, DatabaseClock.micros(nanos), id, grant.token()) == 1;
            return true;
        });
        registry.forget(grant.token());
        if (!found[0] && kept && !tried) {
            throw new LockLostException(name, "it had ended in the database before its release", null);
        }
        return null;
    }
}
