package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.Fault;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Virtual threads wait and re-enter as platform threads do, and the library never pins them. With
 * {@code -Dlock.test.require-virtual-threads=true} a JDK without them fails instead of being skipped.
 */
public abstract class VirtualThreadContract extends ContractTest {

    @Test
    @Rule({ 7, 8 })
    @Needs(Ability.VIRTUAL_THREADS)
    @Fault(60)
    void fault60_virtualThreadsLockWithoutPinning() throws Exception {
        Path file = Files.createTempFile("pinned", ".jfr");
        try (var recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO).withStackTrace();
            recording.start();
            contend();
            recording.stop();
            recording.dump(file);
            assertThat(RecordingFile.readAllEvents(file).stream().filter(VirtualThreadContract::isOurs)).isEmpty();
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private void contend() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        int[] counter = new int[1];
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Jvm jvm = i % 2 == 0 ? a : b;
            var done = new CompletableFuture<Void>();
            all.add(done);
            VirtualThreads.start(() -> {
                try {
                    jvm.lock(name(), Duration.ofSeconds(60)).call(() -> jvm.lock(name()).call(() -> ++counter[0]));
                    done.complete(null);
                } catch (Throwable e) {
                    done.completeExceptionally(e);
                }
            });
        }
        for (var one : all) {
            get(one);
        }
        assertThat(counter[0]).isEqualTo(100);
    }

    /** Pinned in a call of the library, not in the body or in the test. */
    private static boolean isOurs(RecordedEvent event) {
        return event.getStackTrace() != null && event.getStackTrace().getFrames().stream()
                .map(frame -> frame.getMethod().getType().getName())
                .anyMatch(type -> type.startsWith("io.quarkiverse.lock.") && !type.startsWith("io.quarkiverse.lock.testkit."));
    }

    @Test
    @Rule(7)
    @Needs(Ability.VIRTUAL_THREADS)
    void virtualThreadReentersOnlyItsOwnCall() throws Exception {
        Jvm a = jvm();
        var inner = new CompletableFuture<Boolean>();
        var outer = new CompletableFuture<Boolean>();
        VirtualThreads.start(() -> {
            try {
                a.lock(name()).call(() -> {
                    try (LockHandle nested = a.lock(name()).acquire()) {
                        outer.complete(nested.isValid());
                    }
                    VirtualThreads.start(() -> inner.complete(a.lock(name()).tryAcquire(Duration.ofMillis(20)).isPresent()));
                    return get(inner);
                });
            } catch (Throwable e) {
                outer.completeExceptionally(e);
                inner.completeExceptionally(e);
            }
        });
        assertThat(get(outer)).isTrue();
        assertThat(get(inner)).isFalse();
    }
}
