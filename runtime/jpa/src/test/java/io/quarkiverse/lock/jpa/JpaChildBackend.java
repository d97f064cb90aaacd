package io.quarkiverse.lock.jpa;

import java.sql.DriverManager;
import java.util.List;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;

/** The backend of a test's other JVMs. */
public final class JpaChildBackend implements ChildBackend {

    @Override
    public LockBackend backend(String owner, List<String> arguments) {
        String kind = arguments.get(0);
        String url = arguments.get(1);
        String user = arguments.get(2);
        String password = arguments.get(3);
        return new JpaLockBackend(LockDatabase.of(Databases.pool(kind, url, user, password, 4), Databases.sessions(kind),
                () -> DriverManager.getConnection(url, user, password), Databases.OPTIONS), arguments.get(4), owner);
    }
}
