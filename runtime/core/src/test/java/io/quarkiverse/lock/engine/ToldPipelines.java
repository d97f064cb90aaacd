package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import org.junit.jupiter.api.AfterEach;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** Transactions in pipelines that hear of a loss when the test says so, and what became of them. */
abstract class ToldPipelines {

    private final VirtualTime time = new VirtualTime();
    private final Queue<Runnable> told = new ArrayDeque<>();
    final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
            .threads(CallerThreads.plain(told::add)).start();
    final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    final HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
    final List<Object> committed = new ArrayList<>();
    final List<Throwable> rolledBack = new ArrayList<>();

    @AfterEach
    void nothingIsHeld() {
        tellAll();
        assertThat(engine.held()).isEmpty();
        engine.close();
        tellAll();
    }

    final void tellAll() {
        for (Runnable each = told.poll(); each != null; each = told.poll()) {
            each.run();
        }
    }

    final void assertRolledBack(String lost) {
        assertThat(committed).isEmpty();
        assertThat(rolledBack).singleElement().satisfies(failure -> assertThat(failure)
                .isInstanceOf(LockLostException.class).hasMessageContaining("'" + lost + "'"));
    }
}
