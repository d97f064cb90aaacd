package io.quarkiverse.lock.engine;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;

/** An engine over a {@link PushingBackend}, in virtual time. */
abstract class PushingTest {

    final VirtualTime time = new VirtualTime();
    final PushingBackend backend = new PushingBackend();
    final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).start();
    final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    final List<LockHandle> granted = new ArrayList<>();

    @AfterEach
    void close() {
        engine.close();
    }
}
