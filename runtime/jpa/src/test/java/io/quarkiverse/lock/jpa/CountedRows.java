package io.quarkiverse.lock.jpa;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

/** Counts the rows that are read on the connections of a data source. */
final class CountedRows {

    private static final List<Class<?>> WRAPPED = List.of(Connection.class, PreparedStatement.class, ResultSet.class);

    private final AtomicInteger count = new AtomicInteger();

    int soFar() {
        return count.get();
    }

    DataSource of(DataSource dataSource) {
        return (DataSource) wrapped(DataSource.class, dataSource);
    }

    private Object wrapped(Class<?> type, Object real) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
            Object result;
            try {
                result = method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().equals("next") && Boolean.TRUE.equals(result)) {
                count.incrementAndGet();
            }
            return result != null && WRAPPED.contains(method.getReturnType()) ? wrapped(method.getReturnType(), result)
                    : result;
        });
    }
}
