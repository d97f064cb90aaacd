package io.quarkiverse.lock.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.smallrye.mutiny.Uni;

/** What the store remembers about names that are no longer used. */
class LocalStoreTest {

    private static final LockOptions ONE_MINUTE = LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofMinutes(1));

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);

    @Test
    void namesAreForgottenAfterHoldAtLeast() {
        try (LockEngine engine = LockEngine.builder(new LocalBackend(store, "test")).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager locks = engine.manager(ManagerDefaults.STANDARD);
            for (int i = 0; i < 3000; i++) {
                locks.lock("job-" + i, ONE_MINUTE).acquire().close();
            }
            time.advance(Duration.ofSeconds(59));
            assertThat(store.known()).isEqualTo(3000);
            assertThat(locks.lock("job-0").tryAcquire(Duration.ZERO)).as("kept").isEmpty();
            time.advance(Duration.ofSeconds(2));
            assertThat(store.known()).isEqualTo(1024);
        }
    }

    @Test
    void forceReleasedNamesAreForgotten() {
        try (LockEngine engine = LockEngine.builder(new LocalBackend(store, "test")).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager locks = engine.manager(ManagerDefaults.STANDARD);
            for (int i = 0; i < 3000; i++) {
                locks.forceRelease("job-" + i); // which nobody holds
            }
            assertThat(store.known()).isEqualTo(1024);
        }
    }

    @ParameterizedTest
    @EnumSource
    void namesOfGoneGrantsAreForgotten(OfWhatIsGone asked) {
        LocalBackend backend = new LocalBackend(store, "test");
        try (LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).start()) {
            for (int i = 0; i < 3000; i++) {
                Grant gone = backend
                        .acquireNow(new Claim("job-" + i, 1, 2, LockMode.EXCLUSIVE, 0, 30_000_000_000L, false));
                backend.releaseNow(gone);
                asked.question.apply(backend, gone).onFailure(LockLostException.class).recoverWithNull().await()
                        .indefinitely();
            }
            assertThat(store.known()).isEqualTo(1024);
        }
    }

    /** Calls for a grant that is already gone. */
    private enum OfWhatIsGone {

        RENEW((backend, gone) -> backend.renew(List.of(gone))),
        SHORTEN(LocalBackend::shorten),
        DOWNGRADE(LocalBackend::downgrade),
        RELEASE(LocalBackend::release),
        RELEASE_AFTER((backend, gone) -> backend.releaseAfter(gone, 1_000)),
        FORCE_RELEASE((backend, gone) -> backend.forceRelease(gone.name())),
        REQUEST_RELEASE((backend, gone) -> backend.requestRelease(gone.name())),
        INSPECT((backend, gone) -> backend.inspect(gone.name()));

        private final BiFunction<LocalBackend, Grant, Uni<?>> question;

        OfWhatIsGone(BiFunction<LocalBackend, Grant, Uni<?>> question) {
            this.question = question;
        }
    }

    @Test
    void endOfHoldAtLeastDoesNotAffectTheNextHolder() {
        try (LockEngine engine = LockEngine.builder(new LocalBackend(store, "test")).time(time)
                .threads(CallerThreads.plain(Runnable::run)).start()) {
            LockManager locks = engine.manager(ManagerDefaults.STANDARD);
            for (int i = 0; i < 2000; i++) {
                locks.lock("job-" + i, ONE_MINUTE).acquire().close();
            }
            var next = locks.lock("job-1999").acquireAsync().subscribeAsCompletionStage();
            for (int i = 0; i < 9; i++) {
                time.advance(Duration.ofSeconds(1));
            }
            assertThat(next).isNotDone();
            locks.forceRelease("job-1999");
            assertThat(next).isDone();
            time.advance(Duration.ofMinutes(1));
            assertThat(next.join().isValid()).isTrue();
            assertThat(locks.inspect("job-1999")).isPresent();
            next.join().close();
        }
    }
}
