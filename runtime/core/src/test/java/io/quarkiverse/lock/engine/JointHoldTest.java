package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Feature;

/** What the engine asks the backend on behalf of readers and of callers with a limit, and when it need not ask. */
class JointHoldTest {

    private static final LockOptions SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
    private static final LockOptions LIMITED = LockOptions.DEFAULTS.withLimit(3);
    private static final LockOptions NO_WAIT = LIMITED.withWaitFor(Duration.ZERO);

    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final List<LockHandle> granted = new ArrayList<>();
    private final List<Throwable> failed = new ArrayList<>();

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void readersJoinTheExistingGrant() {
        ask(SHARED);
        backend.grant();
        ask(SHARED);
        ask(SHARED);
        assertThat(granted).hasSize(3);
        assertThat(backend.asked).hasSize(1);
        granted.get(0).close();
        granted.get(2).close();
        assertThat(backend.released).isEmpty();
        assertThat(granted.get(1).isValid()).isTrue();
        granted.get(1).close();
        assertThat(backend.released).hasSize(1);
    }

    @Test
    void waitingReadersShareOneGrant() {
        ask(SHARED);
        ask(SHARED);
        ask(SHARED);
        ask(LockOptions.DEFAULTS);
        ask(SHARED);
        assertThat(backend.asked).as("one claim at a time").hasSize(1);
        backend.grant();
        assertThat(granted).as("up to the writer").hasSize(3);
        assertThat(backend.claim().mode()).as("the next claim").isEqualTo(LockMode.EXCLUSIVE);
    }

    @Test
    void readerDoesNotJoinWhileAnotherJvmWaits() {
        ask(SHARED);
        backend.grant();
        backend.listener.waiters(backend.granted.get(0), true);
        ask(SHARED);
        assertThat(granted).hasSize(1);
        assertThat(backend.asked).hasSize(2);
        backend.grant();
        assertThat(engine.held()).hasSize(2);
    }

    @Test
    void readerClaimsItselfWhenTheLastClaimIsOld() {
        ask(SHARED);
        backend.grant();
        time.advance(Duration.ofMillis(999));
        ask(SHARED);
        assertThat(backend.asked).hasSize(1);
        time.advance(Duration.ofMillis(1));
        ask(SHARED);
        assertThat(backend.asked).as("the notification of a writer may be lost").hasSize(2);
        backend.grant();
        ask(SHARED);
        assertThat(backend.asked).as("the new grant is joined").hasSize(2);
        assertThat(granted).hasSize(4);
    }

    @Test
    void readerDoesNotJoinGrantInDoubt() {
        ask(SHARED);
        backend.grant();
        backend.listener.suspect(backend.granted.get(0));
        ask(SHARED);
        assertThat(granted).hasSize(1);
        assertThat(backend.asked).hasSize(2);
    }

    @Test
    void writerClaimIsSentWhileLocalReadersHold() {
        ask(SHARED);
        backend.grant();
        ask(LockOptions.DEFAULTS);
        assertThat(backend.asked).hasSize(2);
        ask(SHARED);
        assertThat(granted).as("no reader overtakes the writer").hasSize(1);
        granted.get(0).close();
        backend.grant();
        assertThat(granted).hasSize(2);
        assertThat(backend.asked).as("no claim during an exclusive hold").hasSize(2);
        granted.get(1).close();
        assertThat(backend.asked).hasSize(3);
        assertThat(backend.claim().mode()).isEqualTo(LockMode.SHARED);
    }

    @Test
    void exclusiveGrantMarksLocalReadersLost() {
        ask(SHARED);
        backend.grant();
        ask(SHARED);
        ask(LockOptions.DEFAULTS);
        List<LockHandle> lost = new ArrayList<>();
        granted.forEach(reader -> reader.onLost(() -> lost.add(reader)));
        backend.grant();
        assertThat(lost).containsExactlyElementsOf(granted.subList(0, 2));
        assertThat(granted.get(2).isValid()).isTrue();
        assertThat(engine.held()).hasSize(1);
    }

    @Test
    void lostGrantIsReleasedAfterLastReaderLeaves() {
        ask(SHARED);
        backend.grant();
        ask(SHARED);
        backend.listener.lost(backend.granted.get(0), "gone");
        assertThat(granted).noneMatch(LockHandle::isValid);
        granted.get(0).close();
        assertThat(backend.released).isEmpty();
        granted.get(1).close();
        assertThat(backend.released).hasSize(1);
    }

    @Test
    void oneRenewalServesAllReaders() {
        ask(SHARED);
        backend.grant();
        ask(SHARED);
        ask(SHARED);
        time.advance(Duration.ofSeconds(10));
        assertThat(backend.renewed).hasSize(1);
        time.advance(Duration.ofSeconds(30));
        assertThat(granted).allMatch(LockHandle::isValid);
    }

    @Test
    void limitedCallersGetOwnGrantsOneClaimAtATime() {
        ask(LIMITED);
        ask(LIMITED);
        assertThat(backend.asked).hasSize(1);
        backend.grant();
        assertThat(granted).hasSize(1);
        assertThat(backend.asked).hasSize(2);
        backend.grant();
        assertThat(granted.get(0).fencingToken()).isNotEqualTo(granted.get(1).fencingToken());
        backend.listener.lost(backend.granted.get(0), "gone");
        assertThat(granted.get(0).isValid()).isFalse();
        assertThat(granted.get(1).isValid()).isTrue();
        granted.get(1).close();
        granted.get(0).close();
        assertThat(backend.released).containsExactly(backend.granted.get(1), backend.granted.get(0));
    }

    @Test
    void immediateTryClaimsAlongsideWaiters() {
        ask(LIMITED);
        ask(NO_WAIT);
        ask(NO_WAIT);
        assertThat(backend.asked).as("one claim each").hasSize(3);
        backend.answer(2, new Busy("somebody"));
        assertThat(failed).singleElement().isInstanceOf(LockBusyException.class).asString().contains("somebody");
        backend.grant(1);
        assertThat(granted).hasSize(1);
        backend.grant(0);
        assertThat(granted).hasSize(2);
    }

    @Test
    void unansweredImmediateTryIsWithdrawn() {
        ask(NO_WAIT);
        time.advance(backend.operationTimeout().multipliedBy(2));
        assertThat(failed).hasSize(1);
        assertThat(backend.cancelled).containsExactly(backend.asked.get(0));
        backend.grant(0);
        assertThat(granted).isEmpty();
        assertThat(backend.released).as("a late grant is released").hasSize(1);
    }

    @Test
    void immediateTryIsRefusedDuringExclusiveHold() {
        ask(LockOptions.DEFAULTS);
        backend.grant();
        ask(NO_WAIT);
        ask(SHARED.withWaitFor(Duration.ZERO));
        assertThat(failed).hasSize(2);
        assertThat(backend.asked).hasSize(1);
    }

    @Test
    void grantIsNotHandedOffAcrossModes() {
        ask(LockOptions.DEFAULTS);
        backend.grant();
        ask(LIMITED);
        granted.get(0).close();
        assertThat(backend.released).hasSize(1);
        assertThat(backend.claim().limit()).isEqualTo(3);
    }

    @Test
    void unsupportedFeaturesAreRejected() {
        backend.features = Set.of(Feature.SHARED);
        LockManager readersOnly = engine.manager(ManagerDefaults.STANDARD);
        assertThatThrownBy(() -> readersOnly.lock("a", LIMITED)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'answering'", "limit", "quarkus.lock.backend");
        readersOnly.lock("a", SHARED);
        backend.features = Set.of(Feature.LIMIT);
        LockManager limitsOnly = engine.manager(ManagerDefaults.STANDARD);
        assertThatThrownBy(() -> limitsOnly.lock("a", SHARED)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'answering'", "SHARED", "quarkus.lock.backend");
        assertThatThrownBy(() -> limitsOnly.lock("a").asReadWriteLock()).isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'a'", "'answering'", "SHARED", "asJavaLock()", "quarkus.lock.backend");
        limitsOnly.lock("a", LIMITED);
        LockManager named = engine.manager(new ManagerDefaults("stock.eu", Duration.ofSeconds(10), Duration.ofSeconds(30), true,
                null, OnLost.FAIL));
        assertThatThrownBy(() -> named.lock("a", SHARED)).hasMessageContaining("quarkus.lock.managers.\"stock.eu\".backend");
        assertThatThrownBy(() -> named.lock("a").asReadWriteLock())
                .hasMessageContaining("quarkus.lock.managers.\"stock.eu\".backend");
    }

    @Test
    void limitAndSharedModeAreMutuallyExclusive() {
        assertThatThrownBy(() -> SHARED.withLimit(1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LIMITED.withMode(LockMode.SHARED)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LockOptions.DEFAULTS.withLimit(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    private void ask(LockOptions options) {
        locks.lock("a", options).acquireAsync().subscribe().with(granted::add, failed::add);
    }
}
