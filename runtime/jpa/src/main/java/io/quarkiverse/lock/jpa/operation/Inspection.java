package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.Optional;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.NameState;
import io.quarkiverse.lock.jpa.table.Statements;

/** Reads who holds a name, and who waits for it. */
public final class Inspection extends NamedOperation<Optional<LockInfo>> {

    private final Steps steps;
    private final Statements statements;

    public Inspection(OperationRunner runner, String name, String id, Steps steps, Statements statements) {
        super(runner, name, id);
        this.steps = steps;
        this.statements = statements;
    }

    @Override
    public Optional<LockInfo> run(long deadline) throws SQLException {
        return steps.call(deadline, connection -> {
            NameState state = connection.first(statements.state, NameState::read, id);
            if (state == null) {
                return Optional.empty();
            }
            if (state.format() != LockRow.FORMAT) {
                throw runner.errors().format(name, state.format());
            }
            var findings = new NameFindings(state);
            if (findings.hasClaims()) {
                connection.all(statements.claims, findings::add, id);
            }
            return findings.of(name);
        });
    }
}
