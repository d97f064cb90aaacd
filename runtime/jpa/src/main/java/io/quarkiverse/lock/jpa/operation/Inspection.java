package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Optional;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.NameState;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Grant;

/** Asks who holds a name. */
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
            var holders = new ArrayList<LockInfo.Holder>();
            if (state.expires() > state.now()) {
                holders.add(holder(String.valueOf(state.owner()), state.fence(), "X", 0, state.now() - state.since(),
                        state.expires() - state.now()));
            }
            int[] waiters = new int[1];
            if (state.waitedFor() || state.sharedUntil() > state.now()) {
                connection.all(statements.claims, row -> {
                    long now = row.getLong(1);
                    if (row.getLong(5) > now) {
                        if ("W".equals(row.getString(3))) {
                            waiters[0]++;
                        } else {
                            holders.add(holder(String.valueOf(row.getString(6)), row.getLong(7), row.getString(9),
                                    row.getInt(10), now - row.getLong(8), row.getLong(5) - now));
                        }
                    }
                    return true;
                }, id);
            }
            return waiters[0] == 0 && holders.isEmpty() ? Optional.empty()
                    : Optional.of(new LockInfo(name, holders, waiters[0]));
        });
    }

    private static LockInfo.Holder holder(String owner, long fence, String mode, int limit, long heldFor, long remaining) {
        return new LockInfo.Holder(owner, Grant.firstToken(fence),
                mode.equals("S") ? LockMode.SHARED : LockMode.EXCLUSIVE, limit, Duration.of(heldFor, ChronoUnit.MICROS),
                Duration.of(remaining, ChronoUnit.MICROS));
    }
}
