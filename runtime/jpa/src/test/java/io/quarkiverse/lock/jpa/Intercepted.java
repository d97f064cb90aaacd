package io.quarkiverse.lock.jpa;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import io.agroal.api.AgroalDataSource;

/** A data source with a hook that sees statements first and may delay or refuse them, or that sees commits afterwards. */
public final class Intercepted {

    /** Sees the text of a statement before it is prepared, and commits before they are made. */
    public interface Witness {

        String COMMIT = "COMMIT";

        void prepares(String sql) throws Exception;
    }

    /** Sees that a commit was made, and may spoil the reply. */
    public interface Aftermath {

        void committed() throws SQLException;
    }

    private Intercepted() {
    }

    public static DataSource statements(DataSource dataSource, Witness witness) {
        return wrapped(DataSource.class, dataSource, witness, () -> {
        });
    }

    public static DataSource commits(DataSource dataSource, Aftermath aftermath) {
        return wrapped(DataSource.class, dataSource, sql -> {
        }, aftermath);
    }

    /** The same for a pool that is recognized as one. */
    public static DataSource pool(AgroalDataSource pool, Aftermath aftermath) {
        return wrapped(AgroalDataSource.class, pool, sql -> {
        }, aftermath);
    }

    private static <T> T wrapped(Class<T> type, T real, Witness witness, Aftermath aftermath) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                witness.prepares((String) arguments[0]);
            } else if (method.getName().equals("commit")) {
                witness.prepares(Witness.COMMIT);
            }
            Object result;
            try {
                result = method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().equals("commit")) {
                aftermath.committed();
            }
            return method.getName().equals("getConnection")
                    ? wrapped(Connection.class, (Connection) result, witness, aftermath)
                    : result;
        }));
    }
}
