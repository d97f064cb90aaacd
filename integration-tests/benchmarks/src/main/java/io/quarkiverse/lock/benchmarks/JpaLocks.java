package io.quarkiverse.lock.benchmarks;

import javax.sql.DataSource;

import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LeaseTables;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.jpa.notify.PromptSockets;

/** The backend in a database, configured as in an application. */
final class JpaLocks {

    private JpaLocks() {
    }

    static JpaLockBackend backend(String url) {
        return backend(database(url, PostgresProcess.pool(url), JpaLockOptions.STANDARD.threads()));
    }

    static JpaLockBackend backend(LockDatabase database) {
        return new JpaLockBackend(database, OurLocks.ROOT, "bench");
    }

    /** @param threads as in the extension, at most as many as the pool has connections */
    static LockDatabase database(String url, DataSource dataSource, int threads) {
        JpaLockOptions standard = JpaLockOptions.STANDARD;
        UnpooledConnections listening = () -> PostgresProcess.connect(PromptSockets.in(url));
        return LockDatabase.of(dataSource, LeaseTables.SESSIONS, listening, new JpaLockOptions(
                standard.operationTimeout(), threads, standard.listen(), standard.purgeAfter(), standard.dataSource(), null));
    }
}
