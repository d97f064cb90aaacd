package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;

import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** An engine keeps the queues of many idle names; listing the holds allocates nothing for them. */
class HeldAtRestTest {

    private static final int NAMES = 1000;

    @Test
    void listingHoldsAllocatesNothingForIdleNames() {
        var time = new VirtualTime();
        try (LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time))).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager locks = engine.manager(ManagerDefaults.STANDARD);
            for (int i = 0; i < NAMES; i++) {
                locks.lock("a" + i).acquire().close();
            }
            locks.held(); // makes the one-time allocations
            var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            int held = locks.held().size();
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(held).isZero();
            assertThat(bytes).isLessThan(8L * NAMES);
        }
    }
}
