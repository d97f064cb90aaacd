package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** A transaction under several locks, one of which is lost when nobody has been told so yet. */
class SeveralPipelinesTest {

    private static final String[] BOTH = { "a", "b" };

    private final VirtualTime time = new VirtualTime();
    private final Queue<Runnable> told = new ArrayDeque<>();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
            .threads(CallerThreads.plain(told::add)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final HoldSettings settings = HoldSettings.of(ManagerDefaults.STANDARD, LockOptions.DEFAULTS);
    private final List<Object> committed = new ArrayList<>();
    private final List<Throwable> rolledBack = new ArrayList<>();

    @AfterEach
    void close() {
        tellAll();
        assertThat(engine.held()).isEmpty();
        engine.close();
        tellAll();
    }

    private void tellAll() {
        for (Runnable each = told.poll(); each != null; each = told.poll()) {
            each.run();
        }
    }

    @Test
    void aUniDoesNotCommit() {
        for (String name : List.of("a", "b")) {
            Uni<String> body = Uni.createFrom().item(() -> lose(name));
            Pipelines.locked(engine, BOTH, settings, null, false,
                    (both, pipeline) -> Pipelines.failingInside(body, pipeline)
                            .onItem().invoke(committed::add).onFailure().invoke(rolledBack::add))
                    .subscribe().with(item -> {
                    }, failure -> {
                    });
            assertRolledBack(name);
        }
    }

    @Test
    void aMultiDoesNotCommit() {
        for (String name : List.of("a", "b")) {
            Multi<String> body = Multi.createFrom().<String> empty().onCompletion().invoke(() -> lose(name));
            Pipelines.lockedMulti(engine, BOTH, settings, null, false,
                    (both, pipeline) -> Pipelines.failingInside(body, pipeline)
                            .onCompletion().invoke(() -> committed.add("")).onFailure().invoke(rolledBack::add))
                    .subscribe().with(item -> {
                    }, failure -> {
                    });
            assertRolledBack(name);
        }
    }

    private String lose(String name) {
        locks.forceRelease(name);
        return name;
    }

    private void assertRolledBack(String name) {
        assertThat(committed).isEmpty();
        assertThat(rolledBack).singleElement().satisfies(failure -> assertThat(failure)
                .isInstanceOf(LockLostException.class).hasMessageContaining("'" + name + "'"));
        rolledBack.clear();
        tellAll();
    }
}
