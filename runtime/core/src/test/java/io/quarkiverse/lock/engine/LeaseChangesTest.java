package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** Leases that are changed late, or by one of several holders. */
class LeaseChangesTest {

    private static final LockOptions SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED);

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final LockEngine here = engine();
    private final LockEngine there = engine();
    private final LockManager locks = here.manager(ManagerDefaults.STANDARD);
    private final LockManager elsewhere = there.manager(ManagerDefaults.STANDARD);

    private LockEngine engine() {
        return LockEngine.builder(new LocalBackend(store, "test")).time(time).threads(CallerThreads.plain(Runnable::run))
                .start();
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    /** The rest of the new time is shorter than the lease, but longer than what is left of the lease. */
    @Test
    void fault140_holdAtLeastExtendsNearlyExpiredLease() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(30)).withRenew(false)).acquire();
        time.advance(Duration.ofSeconds(20));
        hold.changeHoldAtLeast(Duration.ofSeconds(45));
        time.advance(Duration.ofSeconds(24)); // without any further call
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).as("before the time is over").isEmpty();
        time.advance(Duration.ofSeconds(7));
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).as("a lease after it was extended").isPresent()
                .hasValueSatisfying(LockHandle::close);
        hold.close();
    }

    @Test
    void sufficientLeaseIsLeftUnchanged() {
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(30)).withRenew(false)).acquire();
        time.advance(Duration.ofSeconds(20));
        hold.changeHoldAtLeast(Duration.ofSeconds(25));
        hold.changeHoldAtLeast(Duration.ofSeconds(5)); // already over
        assertThat(hold.validFor()).isEqualTo(Duration.ofSeconds(8));
        hold.close();
        assertThat(elsewhere.lock("a").tryAcquire(Duration.ZERO)).isPresent().hasValueSatisfying(LockHandle::close);
    }

    @Test
    void fault141_readerCannotShortenAnothersExtension() {
        LockHandle patient = locks.lock("a", SHARED).acquire();
        LockHandle quick = locks.lock("a", SHARED).acquire();
        patient.extend(Duration.ofHours(1));
        quick.changeLease(Duration.ofSeconds(5));
        assertThat(patient.validFor()).as("at least the promised time").isGreaterThan(Duration.ofMinutes(59));
        time.advance(Duration.ofMinutes(50)); // also after later renewals
        assertThat(patient.validFor()).isGreaterThan(Duration.ofMinutes(35));
        patient.close();
        quick.changeLease(Duration.ofSeconds(5));
        assertThat(quick.validFor()).as("as the only reader").isLessThanOrEqualTo(Duration.ofSeconds(5));
        quick.close();
    }

    @Test
    void revokedExtensionDoesNotBindOtherReaders() {
        LockHandle first = locks.lock("a", SHARED).acquire();
        LockHandle second = locks.lock("a", SHARED).acquire();
        first.extend(Duration.ofHours(1));
        first.changeLease(Duration.ofSeconds(20));
        assertThat(first.validFor()).as("the other reader needs as much").isEqualTo(Duration.ofSeconds(28));
        second.changeLease(Duration.ofSeconds(5));
        assertThat(first.validFor()).isEqualTo(Duration.ofSeconds(18));
        first.close();
        second.close();
    }
}
