package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.lease.Census.Caller;
import io.quarkiverse.lock.engine.lease.Census.Count;
import io.quarkiverse.lock.engine.lease.Census.Group;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** Holds and waits are counted by manager and template, not by name. */
class CensusTest {

    private static final Group STANDARD = new Group("<default>", null);

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final LockManager others = engine.manager(new ManagerDefaults("others", Duration.ofSeconds(10),
            Duration.ofSeconds(30), true, null, OnLost.FAIL));

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void unusedEngineCountsNothing() {
        assertThat(engine.census().take()).isEmpty();
    }

    @Test
    void holdersAndWaitersAreCountedByManager() {
        LockHandle first = locks.lock("a").acquire();
        time.advance(Duration.ofSeconds(3));
        LockHandle second = locks.lock("b").acquire();
        LockHandle third = others.lock("c").acquire();
        locks.lock("a").acquireAsync().subscribe().asCompletionStage();
        others.lock("a").acquireAsync().subscribe().asCompletionStage();
        others.lock("b").acquireAsync().subscribe().asCompletionStage();

        assertThat(engine.census().take()).containsOnlyKeys(STANDARD, new Group("others", null))
                .containsEntry(STANDARD, new Count(2, 1, Duration.ofSeconds(3).toNanos()))
                .containsEntry(new Group("others", null), new Count(1, 2, 0));
        assertThat(engine.census().waiting("a")).isEqualTo(2);
        assertThat(engine.census().waiting("b")).isEqualTo(1);
        assertThat(engine.census().waiting("c")).isZero();
        assertThat(engine.census().waiting("d")).isZero();

        third.close();
        second.close();
        first.close();
    }

    @Test
    void callersAreListedIndividually() {
        LockHandle held = locks.lock("a").acquire();
        time.advance(Duration.ofSeconds(3));
        others.lock("a").acquireAsync().subscribe().asCompletionStage();
        time.advance(Duration.ofSeconds(2));
        engine.acquire().take("b-1", madeFrom("b-{id}"), null);

        assertThat(engine.census().callers()).containsExactlyInAnyOrder(
                new Caller(true, "a", "<default>", null, LockMode.EXCLUSIVE, 0, held.fencingToken(),
                        Duration.ofSeconds(5).toNanos()),
                new Caller(false, "a", "others", null, LockMode.EXCLUSIVE, 0, 0, Duration.ofSeconds(2).toNanos()),
                new Caller(true, "b-1", "<default>", "b-{id}", LockMode.EXCLUSIVE, 0,
                        engine.held().stream().filter(lock -> lock.name().equals("b-1")).findFirst().orElseThrow()
                                .fencingToken(),
                        0));

        held.close();
    }

    @Test
    void templatesAreCountedSeparately() {
        engine.acquire().take("a-1", madeFrom("a-{id}"), null);
        engine.acquire().take("a-2", madeFrom("a-{id}"), null);
        engine.acquire().take("b-1", madeFrom("b-{id}"), null);

        assertThat(engine.census().take()).containsOnly(entry(new Group("<default>", "a-{id}"), new Count(2, 0, 0)),
                entry(new Group("<default>", "b-{id}"), new Count(1, 0, 0)));
    }

    private static HoldSettings madeFrom(String template) {
        HoldSettings by = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
        return new HoldSettings(by.manager(), template, by.waitNanos(), by.leaseNanos(), by.renew(), by.maxHoldNanos(),
                by.onLost(), by.holdAtLeastNanos(), by.mode(), by.limit());
    }

    @Test
    void readersSharingAGrantAreCountedEach() {
        LockOptions shared = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
        areCounted(locks.lock("a", shared).acquire(), locks.lock("a", shared).acquire());
    }

    @Test
    void limitedHoldersAreCountedEach() {
        LockOptions limited = LockOptions.DEFAULTS.withLimit(3);
        areCounted(locks.lock("a", limited).acquire(), locks.lock("a", limited).acquire());
    }

    private void areCounted(LockHandle one, LockHandle other) {

        assertThat(engine.census().take()).containsOnlyKeys(STANDARD).containsEntry(STANDARD, new Count(2, 0, 0));

        one.close();
        other.close();
        assertThat(engine.census().take()).isEmpty();
    }
}
