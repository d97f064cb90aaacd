package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A {@code @Locked} method sees that it is asked to finish, and the lock is free once it has finished. */
class ReleaseRequestedTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Exports.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Exports exports;

    @Inject
    LockManager locks;

    @Inject
    CurrentLock current;

    @Test
    void blockingMethodSeesReleaseRequest() throws Exception {
        CompletableFuture<Integer> pages = CompletableFuture.supplyAsync(() -> exports.export("blocking"));
        assertThat(exports.begins()).isTrue();
        assertThat(pages).isNotDone();
        assertThat(locks.requestRelease("export-blocking")).isTrue();
        assertThat(pages.get(10, TimeUnit.SECONDS)).isPositive();
        assertThat(locks.inspect("export-blocking")).isEmpty();
        assertThat(locks.requestRelease("export-blocking")).isFalse();
    }

    @Test
    void pipelineSeesReleaseRequest() {
        assertThat(exports.exportAsync("uni").await().atMost(Duration.ofSeconds(10))).isEqualTo("before: false, after: true");
    }

    @Test
    void nestedMethodSeesReleaseRequestForOuterLock() {
        assertThat(exports.nested("nested")).isEqualTo("before: false, inside: true, after: true");
    }

    @Test
    void noReleaseRequestOutsideLockScope() {
        try (LockHandle hold = locks.lock("export-outside").acquire()) {
            assertThat(locks.requestRelease("export-outside")).isTrue();
            assertThat(hold.isReleaseRequested()).isTrue();
            assertThat(current.releaseRequested()).isFalse();
            assertThat(current.releaseRequestedAsync().await().atMost(Duration.ofSeconds(10))).isFalse();
        }
    }

    @ApplicationScoped
    public static class Exports {

        private final CountDownLatch begun = new CountDownLatch(1);

        @Inject
        CurrentLock lock;

        @Inject
        LockManager locks;

        @Inject
        Exports self;

        boolean begins() throws InterruptedException {
            return begun.await(10, TimeUnit.SECONDS);
        }

        @Locked("export-{name}")
        int export(String name) {
            int pages = 0;
            while (!lock.releaseRequested()) {
                pages++;
                begun.countDown();
                Thread.onSpinWait();
            }
            return pages;
        }

        @Locked("export-{name}")
        Uni<String> exportAsync(String name) {
            return lock.releaseRequestedAsync()
                    .chain(before -> locks.requestReleaseAsync("export-" + name)
                            .chain(asked -> lock.releaseRequestedAsync())
                            .map(after -> "before: " + before + ", after: " + after));
        }

        @Locked("export-{name}")
        String nested(String name) {
            boolean before = lock.releaseRequested();
            return "before: " + before + self.inner(name) + ", after: " + lock.releaseRequested();
        }

        @Locked("other-{name}")
        String inner(String name) {
            locks.requestRelease("export-" + name);
            return ", inside: " + lock.releaseRequested();
        }
    }
}
