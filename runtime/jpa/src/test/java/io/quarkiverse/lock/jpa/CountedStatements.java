package io.quarkiverse.lock.jpa;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

/** Counts the statements that are prepared on the connections of a data source. */
public final class CountedStatements {

    private final AtomicInteger count = new AtomicInteger();

    int soFar() {
        return count.get();
    }

    DataSource of(DataSource dataSource) {
        return wrapped(DataSource.class, dataSource);
    }

    private <T> T wrapped(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                count.incrementAndGet();
            }
            try {
                Object result = method.invoke(real, arguments);
                return method.getName().equals("getConnection") ? wrapped(Connection.class, (Connection) result) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
