package io.quarkiverse.lock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;

/** A release says whether there was still something to release. */
class LocalBackendTest {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final VirtualTime time = new VirtualTime();
    private final LocalBackend backend = new LocalBackend(new LocalStore(time));
    private final Grant grant;

    LocalBackendTest() {
        backend.start(new Deaf(), time);
        grant = backend.acquireNow(new Claim("a", 1, 2, LockMode.EXCLUSIVE, 0, LEASE.toNanos(), false));
    }

    @Test
    void fault180_aReleaseOfWhatWasTakenAwaySaysSo() {
        backend.forceRelease("a").await().indefinitely();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> backend.releaseNow(grant));
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> backend.release(grant).await().indefinitely());
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> backend.releaseAfter(grant, 1_000).await().indefinitely());
    }

    @Test
    void aReleaseAfterTheEndOfTheLeaseSaysNothing() {
        time.advance(LEASE);
        backend.releaseNow(grant);
        backend.releaseAfter(grant, 1_000).await().indefinitely();
        assertThat(backend.inspect("a").await().indefinitely()).isEmpty();
    }

    /** A holder that has not heard the news yet. */
    private static final class Deaf implements BackendListener {

        @Override
        public void suspect(Grant grant) {
        }

        @Override
        public void lost(Grant grant, String reason) {
        }

        @Override
        public void waiters(Grant grant, boolean some) {
        }

        @Override
        public void releaseRequested(Grant grant) {
        }

        @Override
        public void recheck() {
        }
    }
}
