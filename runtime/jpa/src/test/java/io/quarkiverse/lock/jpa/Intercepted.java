package io.quarkiverse.lock.jpa;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;

import javax.sql.DataSource;

/** A data source whose statements somebody sees first, and may hold up or refuse. */
final class Intercepted {

    /** Sees the text of a statement before it is prepared. */
    interface Witness {

        void prepares(String sql) throws Exception;
    }

    private Intercepted() {
    }

    static DataSource statements(DataSource dataSource, Witness witness) {
        return wrapped(DataSource.class, dataSource, witness);
    }

    private static <T> T wrapped(Class<T> type, T real, Witness witness) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                witness.prepares((String) arguments[0]);
            }
            try {
                Object result = method.invoke(real, arguments);
                return method.getName().equals("getConnection") ? wrapped(Connection.class, (Connection) result, witness)
                        : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
