package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.table.NotedLine;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.WaitNotes;

/** Reads who holds a name, and the notes of its waiters. */
public final class ReadNotes extends NamedOperation<WaitNotes.Line> {

    private final Steps steps;
    private final Statements statements;

    public ReadNotes(OperationRunner runner, String name, String id, Steps steps, Statements statements) {
        super(runner, name, id);
        this.steps = steps;
        this.statements = statements;
    }

    @Override
    public WaitNotes.Line run(long deadline) throws SQLException {
        return steps.call(deadline, connection -> NotedLine.read(connection, statements, id));
    }
}
