package io.quarkiverse.lock.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;

/** The statements sent to a fake Db2. */
class Db2RowLockTest {

    private final List<String> sent = new ArrayList<>();
    private @Nullable String timeout;

    @Test
    @Fault(109)
    void fault109_requestedWaitIsPassedToDb2() throws SQLException {
        new Db2RowLock(hibernate(null)).lock(connection(), "id", 1500, RowLock.Running.NOBODY);
        assertThat(sent).containsExactly("VALUES CURRENT LOCK TIMEOUT", "SET CURRENT LOCK TIMEOUT WAIT 2", "lock",
                "SET CURRENT LOCK TIMEOUT NULL");
        sent.clear();
        new Db2RowLock(hibernate(null)).lock(connection(), "id", 0, RowLock.Running.NOBODY);
        assertThat(sent).containsExactly("VALUES CURRENT LOCK TIMEOUT", "SET CURRENT LOCK TIMEOUT NOT WAIT", "lock",
                "SET CURRENT LOCK TIMEOUT NULL");
    }

    @Test
    @Fault(109)
    void fault109_sessionLockTimeoutIsRestoredAfterFailure() {
        timeout = "-1";
        var over = new SQLException("SQLERRMC=68", "40001", -911);
        assertThatThrownBy(
                () -> new Db2RowLock(hibernate(over)).lock(connection(), "id", 1000, RowLock.Running.NOBODY)).isSameAs(over);
        assertThat(sent).endsWith("lock", "SET CURRENT LOCK TIMEOUT -1");
    }

    private RowLock hibernate(@Nullable SQLException failure) {
        return new RowLock() {
            @Override
            public @Nullable Locked lock(Connection connection, String id, long waitMillis, Running running)
                    throws SQLException {
                sent.add("lock");
                if (failure != null) {
                    throw failure;
                }
                return null;
            }

            @Override
            public RowLockFailure why(Throwable failure) {
                return RowLockErrors.DB2.of(failure);
            }

            @Override
            public String table() {
                return "quarkus_lock";
            }
        };
    }

    private Connection connection() {
        ResultSet rows = fake(ResultSet.class, (method, argument) -> switch (method) {
            case "next" -> true;
            case "getString" -> timeout;
            default -> null;
        });
        Statement statement = fake(Statement.class, (method, argument) -> {
            if (argument instanceof String sql) {
                sent.add(sql);
            }
            return switch (method) {
                case "executeQuery" -> rows;
                case "execute" -> false;
                default -> null;
            };
        });
        return fake(Connection.class, (method, argument) -> method.equals("createStatement") ? statement : null);
    }

    @FunctionalInterface
    private interface Answer {

        @Nullable
        Object to(String method, @Nullable Object argument);
    }

    private static <T> T fake(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                (proxy, method, arguments) -> answer.to(method.getName(), arguments == null ? null : arguments[0])));
    }
}
