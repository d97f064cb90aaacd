package io.quarkiverse.lock.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.agroal.api.AgroalDataSource;

/** The hand-written solution: a row that each transaction locks. The database queues them. */
final class RowLocks implements Peer {

    private final AgroalDataSource pool;
    private final String statement;

    private RowLocks(String url, String statement) {
        this.statement = statement;
        pool = PostgresProcess.pool(url);
        PostgresProcess.execute(pool, "SELECT 1"); // connects
    }

    /** The row is only locked. */
    static RowLocks reading(String url) {
        return new RowLocks(url, "SELECT name FROM plain_row WHERE name = ? FOR UPDATE");
    }

    /** The row is locked by writing it, as is necessary with a stricter isolation, or in a cluster. */
    static RowLocks writing(String url) {
        return new RowLocks(url, "UPDATE plain_row SET holds = holds + 1 WHERE name = ? RETURNING holds");
    }

    @Override
    public Mutex mutex(String name) {
        PostgresProcess.execute(pool, "INSERT INTO plain_row (name) VALUES ('" + name + "') ON CONFLICT DO NOTHING");
        return new Row(name);
    }

    @Override
    public void close() {
        pool.close();
    }

    private final class Row implements Mutex {

        private final String name;
        private @Nullable Connection transaction;

        Row(String name) {
            this.name = name;
        }

        @Override
        public void lock() {
            try {
                Connection begun = pool.getConnection();
                transaction = begun;
                begun.setAutoCommit(false);
                try (PreparedStatement locking = begun.prepareStatement(statement)) {
                    locking.setString(1, name);
                    if (!locking.executeQuery().next()) {
                        throw new IllegalStateException("No row " + name);
                    }
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void unlock() {
            Connection begun = transaction;
            if (begun == null) {
                throw new IllegalStateException("Not held");
            }
            transaction = null;
            try (begun) {
                begun.commit();
                begun.setAutoCommit(true);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
