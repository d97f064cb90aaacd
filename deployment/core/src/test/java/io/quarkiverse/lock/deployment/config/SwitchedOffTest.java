package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Switched off, everything runs and nothing is locked. */
class SwitchedOffTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Meeting.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.enabled", "false")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "0")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records).singleElement()
                    .satisfies(record -> assertThat(record.getMessage()).contains("quarkus.lock.enabled=false")));

    @Inject
    LockManager locks;

    @Inject
    Meeting meeting;

    @Test
    void lockedBodiesRunConcurrently() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<String> one = threads.submit(meeting::meet);
            Future<String> two = threads.submit(meeting::meet);
            assertThat(one.get(20, TimeUnit.SECONDS)).isEqualTo("met");
            assertThat(two.get(20, TimeUnit.SECONDS)).isEqualTo("met");
        } finally {
            threads.shutdownNow();
        }
        assertThat(meeting.later().await().atMost(Duration.ofSeconds(20))).isEqualTo("later");
        assertThat(meeting.stage().toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo("stage");
    }

    @Test
    void handlesAreValidUntilReleasedAndHaveNoToken() throws Exception {
        try (LockHandle one = locks.lock("a").acquire(); LockHandle two = locks.lock("a").acquire()) {
            assertThat(one.isValid()).isTrue();
            assertThat(two.isValid()).isTrue();
            assertThat(two.validFor()).isPositive();
            two.extend(Duration.ofSeconds(5));
            assertThatThrownBy(two::fencingToken).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'a'").hasMessageContaining("quarkus.lock.enabled");
            two.close();
            assertThat(two.isValid()).isFalse();
            assertThat(one.isValid()).isTrue();
        }
        assertThat(locks.lock("a").tryAcquire(Duration.ZERO)).isPresent();
        assertThat(locks.lock("a").call(() -> 7)).isEqualTo(7);
        assertThat(locks.lock("a").callAsync(() -> Uni.createFrom().item(8)).await().indefinitely()).isEqualTo(8);
        ReadWriteLock readersAndWriters = locks.lock("a").asReadWriteLock();
        readersAndWriters.readLock().lock();
        readersAndWriters.writeLock().lock();
        readersAndWriters.readLock().unlock();
        assertThatThrownBy(readersAndWriters.readLock()::unlock).isInstanceOf(IllegalMonitorStateException.class);
        readersAndWriters.writeLock().unlock();
        assertThat(meeting.items().collect().asList().await().indefinitely()).containsExactly(1, 2);
        assertThat(locks.held()).isEmpty();
        assertThat(locks.inspect("a")).isEmpty();
        assertThat(locks.list(LockQuery.ALL)).isEqualTo(new LockQuery.Page(List.of(), Optional.empty()));
        assertThat(locks.listAsync(LockQuery.ALL).await().indefinitely().locks()).isEmpty();
        assertThat(locks.forceRelease("a")).isFalse();
        assertThat(locks.requestRelease("a")).isFalse();
        assertThat(locks.requestReleaseAsync("a").await().indefinitely()).isFalse();
        assertThatThrownBy(() -> locks.lock("")).isInstanceOf(IllegalArgumentException.class);
    }

    @ApplicationScoped
    @Locked("meeting")
    public static class Meeting {

        private final CyclicBarrier both = new CyclicBarrier(2);

        @Transactional
        String meet() throws Exception {
            both.await(15, TimeUnit.SECONDS);
            return "met";
        }

        Uni<String> later() {
            return Uni.createFrom().item("later");
        }

        Multi<Integer> items() {
            return Multi.createFrom().items(1, 2);
        }

        CompletionStage<String> stage() {
            return Uni.createFrom().item("stage").subscribeAsCompletionStage();
        }
    }
}
