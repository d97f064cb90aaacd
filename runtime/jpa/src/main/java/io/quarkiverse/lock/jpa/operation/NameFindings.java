package io.quarkiverse.lock.jpa.operation;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.table.NameState;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.Grant;

/** What the rows of a name say about it, for people. */
final class NameFindings {

    private final List<LockInfo.Holder> holders = new ArrayList<>(1);
    private final List<LockInfo.Waiter> waiting = new ArrayList<>(0);
    private final boolean claims;

    NameFindings(NameState state) {
        if (state.expires() > state.now()) {
            holders.add(holder((state.kept() ? "finished, kept by " : "") + state.owner(), state.fence(), "X", 0,
                    state.now() - state.since(),
                    state.expires() - state.now()));
        }
        claims = state.waitedFor() || state.sharedUntil() > state.now();
    }

    /** Whether there may be claims to {@link #add}. */
    boolean hasClaims() {
        return claims;
    }

    /** A row of {@link Statements#claims}. */
    boolean add(ResultSet row) throws SQLException {
        long now = row.getLong(1);
        if (row.getLong(5) > now) {
            String owner = String.valueOf(row.getString(6));
            if ("W".equals(row.getString(3))) {
                waiting.add(new LockInfo.Waiter(owner, mode(row.getString(9)), row.getInt(10), micros(now - row.getLong(8))));
            } else {
                holders.add(holder(owner, row.getLong(7), row.getString(9), row.getInt(10), now - row.getLong(8),
                        row.getLong(5) - now));
            }
        }
        return true;
    }

    Optional<LockInfo> of(String name) {
        return waiting.isEmpty() && holders.isEmpty() ? Optional.empty()
                : Optional.of(new LockInfo(name, holders, waiting.size(), waiting));
    }

    private static LockInfo.Holder holder(String owner, long fence, String mode, int limit, long heldFor, long remaining) {
        return new LockInfo.Holder(owner, Grant.firstToken(fence), mode(mode), limit, micros(heldFor), micros(remaining));
    }

    private static LockMode mode(String letter) {
        return letter.equals("S") ? LockMode.SHARED : LockMode.EXCLUSIVE;
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
