package io.quarkiverse.lock.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import io.agroal.api.AgroalDataSource;

/** What people write themselves: a row that each transaction locks with SELECT ... FOR UPDATE. The database queues them. */
final class RowLocks implements Peer {

    private final AgroalDataSource pool;

    RowLocks(String url) {
        pool = PostgresProcess.pool(url);
        PostgresProcess.execute(pool, "SELECT 1"); // connects
    }

    @Override
    public Mutex mutex(String name) {
        PostgresProcess.execute(pool, "INSERT INTO plain_row VALUES ('" + name + "') ON CONFLICT DO NOTHING");
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
                try (PreparedStatement select = begun
                        .prepareStatement("SELECT name FROM plain_row WHERE name = ? FOR UPDATE")) {
                    select.setString(1, name);
                    if (!select.executeQuery().next()) {
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
