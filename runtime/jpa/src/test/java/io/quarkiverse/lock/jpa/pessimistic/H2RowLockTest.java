package io.quarkiverse.lock.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.server.H2Database;

class H2RowLockTest {

    private final H2Database server = new H2Database();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void clockIsReadableWhileOtherSessionsCommit() throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE busy (id INT)");
            CompletableFuture<Void> busy = CompletableFuture.runAsync(() -> commitUntil(enough),
                    thread -> new Thread(thread).start());
            try {
                long before = H2RowLock.now(connection);
                for (int i = 0; i < 20_000 && !busy.isDone(); i++) {
                    long now = H2RowLock.now(connection);
                    assertThat(now).isGreaterThanOrEqualTo(before);
                    before = now;
                }
                assertThat(before).isPositive();
            } finally {
                enough.set(true);
                busy.join();
            }
        }
    }

    private void commitUntil(AtomicBoolean enough) {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (!enough.get()) {
                statement.execute("INSERT INTO busy VALUES (1)");
                connection.commit();
                statement.execute("DELETE FROM busy");
                connection.commit();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
