package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;

import io.quarkiverse.lock.jpa.table.NotedLine;
import io.quarkiverse.lock.spi.WaitNotes;

/** Reads who holds a name, and the notes of its waiters. */
public final class ReadNotes extends NamedOperation<WaitNotes.Line> {

    public ReadNotes(OperationRunner runner, String name, String id) {
        super(runner, name, id);
    }

    @Override
    public WaitNotes.Line run(long deadline) throws SQLException {
        return steps.call(deadline, connection -> NotedLine.read(connection, statements, id));
    }
}
