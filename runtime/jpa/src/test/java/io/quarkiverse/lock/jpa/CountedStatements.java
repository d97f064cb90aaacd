package io.quarkiverse.lock.jpa;

import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

/** Counts the statements that are prepared on the connections of a data source. */
public final class CountedStatements {

    private final AtomicInteger count = new AtomicInteger();

    int soFar() {
        return count.get();
    }

    DataSource of(DataSource dataSource) {
        return Intercepted.statements(dataSource, sql -> count.addAndGet(sql.equals(Intercepted.Witness.COMMIT) ? 0 : 1));
    }
}
