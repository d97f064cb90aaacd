package io.quarkiverse.lock.jpa;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * Finds out whether other JVMs wait for what this one holds, where no message tells: callers of its own do, and it may hand the
 * lock on among them for longer if nobody else is kept waiting.
 */
final class Glance implements Runnable {

    /** As long as a grant may be handed on when others do wait: looking more often would change nothing. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

    private final JpaLockBackend backend;
    private final JpaGrant grant;

    Glance(JpaLockBackend backend, JpaGrant grant) {
        this.backend = backend;
        this.grant = grant;
    }

    /** Unless somebody has looked just now. */
    static void at(JpaLockBackend backend, JpaGrant grant) {
        long now = System.nanoTime();
        long last = grant.glancedAt;
        if (last == 0 || now - last > PAUSE) {
            grant.glancedAt = now;
            backend.database().workers().run(new Glance(backend, grant));
        }
    }

    @Override
    public void run() {
        LockDatabase database = backend.database();
        try {
            LockState state = database.call(database.deadline(),
                    connection -> connection.first(database.statements().state, LockState::read, grant.id()));
            if (state != null && (grant.claim().exclusive() ? grant.token().equals(state.token()) : state.held())) {
                backend.listener().waiters(grant, state.waitedFor());
            }
        } catch (SQLException | RuntimeException e) {
            // Then others wait for as long as they would have without this
        }
    }
}
