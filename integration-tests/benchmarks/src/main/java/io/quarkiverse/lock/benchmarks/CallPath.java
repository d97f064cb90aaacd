package io.quarkiverse.lock.benchmarks;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.spi.LockBackend;

/**
 * Which code one call executes: takes and releases a lock that nobody else wants, and has JaCoCo record the lines executed by
 * the second such call. {@code path/measure} starts it and counts the files.
 */
public final class CallPath {

    private static final String LOCAL = "local";

    private CallPath() {
    }

    /** @param arguments {@code local}, {@code redis}, {@code zookeeper} or {@code postgresql}, and the file to write to */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals(LOCAL)) {
            record(new LocalBackend(new LocalStore(new SystemTime())), Path.of(arguments[1]));
            return;
        }
        try (Server server = Server.forWorkload(arguments[0])) {
            record(OurLocks.backend(server.url()), Path.of(arguments[1]));
        }
    }

    private static void record(LockBackend backend, Path lines) throws Exception {
        // Over JMX, so that only the run itself needs JaCoCo
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName recorder = new ObjectName("org.jacoco:type=Runtime");
        try (LockEngine engine = LockEngine.builder(backend).start()) {
            LockManager locks = engine.manager(ManagerDefaults.STANDARD);
            locks.lock("name").acquire().close(); // connects and loads
            beans.invoke(recorder, "reset", null, null);
            locks.lock("name").acquire().close();
            Files.write(lines, (byte[]) beans.invoke(recorder, "getExecutionData", new Object[] { false },
                    new String[] { "boolean" }));
        }
    }
}
