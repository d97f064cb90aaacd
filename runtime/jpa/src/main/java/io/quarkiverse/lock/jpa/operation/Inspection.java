package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.Optional;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.NameState;

/** Reads who holds a name, and who waits for it. */
public final class Inspection extends NamedOperation<Optional<LockInfo>> {

    public Inspection(OperationRunner runner, String name, String id) {
        super(runner, name, id);
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
