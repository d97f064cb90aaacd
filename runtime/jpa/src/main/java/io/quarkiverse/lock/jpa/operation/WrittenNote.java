package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import io.quarkiverse.lock.spi.Claim;

/** Writes a note to the row of a waiting claim. */
public final class WrittenNote extends NamedOperation<Boolean> {

    private final String token;
    private final String note;

    public WrittenNote(OperationRunner runner, Claim claim, String id, String note) {
        super(runner, claim.name(), id);
        this.token = claim.token();
        this.note = note;
    }

    @Override
    public Boolean run(long deadline) throws SQLException {
        return steps.call(deadline, connection -> connection.update(statements.note, note, id, token) > 0);
    }
}
