package io.quarkiverse.lock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.NoNews;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Renewal;

/** What a release reports and leaves behind, and which calls may follow it. */
class LocalBackendTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    /** More idle names than the store remembers. */
    private static final int MANY = 3000;

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final LocalBackend backend = new LocalBackend(store);
    private final Grant grant;

    LocalBackendTest() {
        backend.start(new NoNews(), time);
        grant = backend.acquireNow(new Claim("a", 1, 2, LockMode.EXCLUSIVE, 0, LEASE.toNanos(), false));
    }

    @Test
    void fault180_releaseOfForceReleasedGrantReportsLoss() {
        backend.forceRelease("a").await().indefinitely();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> backend.releaseNow(grant));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> backend.release(grant).await().indefinitely());
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> backend.releaseAfter(grant, 1_000).await().indefinitely());
    }

    @Test
    void releaseAfterLeaseExpiryIsSilent() {
        time.advance(LEASE);
        backend.releaseNow(grant);
        backend.releaseAfter(grant, 1_000).await().indefinitely();
        assertThat(backend.inspect("a").await().indefinitely()).isEmpty();
    }

    /** A renewal may be overtaken by the release. */
    @Test
    void fault474_lateRenewalDoesNotProlongDelayedRelease() {
        backend.releaseAfter(grant, Duration.ofSeconds(2).toNanos()).await().indefinitely();
        Renewal late = backend.renew(List.of(grant)).await().indefinitely();
        assertThat(late.renewed()).isEmpty();
        assertThat(late.lost()).isEqualTo(List.of(grant));
        time.advance(Duration.ofSeconds(2));
        assertThat(backend.acquireNow(claim("a", false))).isNotNull();
    }

    @Test
    void fault476_lateClaimWithdrawalLeavesNoEntry() {
        for (int i = 0; i < MANY; i++) {
            new LocalClaim(backend, claim("late-" + i, true), null).cancel();
        }
        assertThat(store.known()).isLessThan(MANY);
    }

    @Test
    void fault476_holderLookupOfFreeNameLeavesNoEntry() {
        for (int i = 0; i < MANY; i++) {
            assertThat(backend.holder("left-" + i)).isNull();
        }
        assertThat(store.known()).isLessThan(MANY);
    }

    private static Claim claim(String name, boolean waits) {
        return new Claim(name, 1, 3, LockMode.EXCLUSIVE, 0, LEASE.toNanos(), waits);
    }
}
