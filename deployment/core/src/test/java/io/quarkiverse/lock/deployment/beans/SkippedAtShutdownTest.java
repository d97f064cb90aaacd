package io.quarkiverse.lock.deployment.beans;

import static io.quarkiverse.lock.Locked.OnBusy.SKIP;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Skippable calls, such as a job that is due, are skipped while the application stops; all others are refused. */
class SkippedAtShutdownTest {

    private static final String LOG = SkippedAtShutdownTest.class.getName();

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Jobs.class, Outer.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.shutdown.timeout", "60s")
            .setAfterUndeployListener(() -> assertThat(logged().split(" "))
                    .containsExactly("job:null", "several:null", "optional:Optional.empty", "uni:null", "multi:[]",
                            "stage:null", "severalStages:null", "fails:IllegalStateException",
                            "outer:IllegalStateException"));

    @Inject
    Outer outer;

    @Test
    void shutdownBeginsWhileLockIsHeld() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Thread holder = new Thread(() -> log("outer", () -> {
            outer.keepUntilTheStop(begun);
            return null;
        }));
        holder.setDaemon(true);
        holder.start();
        begun.await();
    }

    /** Shutdown may be over before the holder's thread has ended. */
    private static String logged() {
        long since = System.nanoTime();
        while (!System.getProperty(LOG, "").contains("outer:") && System.nanoTime() - since < TimeUnit.MINUTES.toNanos(1)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        return String.valueOf(System.clearProperty(LOG));
    }

    static void log(String what, Supplier<?> call) {
        String result;
        try {
            result = String.valueOf(call.get());
        } catch (RuntimeException e) {
            result = e instanceof IllegalStateException ? "IllegalStateException" : e.toString();
        }
        String before = System.getProperty(LOG);
        System.setProperty(LOG, (before == null ? "" : before + ' ') + what + ':' + result);
    }

    @ApplicationScoped
    public static class Outer {

        @Inject
        LockManager locks;

        @Inject
        Jobs jobs;

        /** It may be skipped, but it has begun, so its failure is propagated. */
        @Locked(value = "outer", onBusy = SKIP)
        void keepUntilTheStop(CountDownLatch begun) {
            begun.countDown();
            while (!stopping()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            log("job", () -> {
                jobs.job();
                return null;
            });
            log("several", () -> {
                jobs.several();
                return null;
            });
            log("optional", jobs::optional);
            log("uni", () -> jobs.uni().await().indefinitely());
            log("multi", () -> jobs.multi().collect().asList().await().indefinitely());
            log("stage", () -> jobs.stage().toCompletableFuture().join());
            log("severalStages", () -> jobs.severalStages().toCompletableFuture().join());
            log("fails", () -> {
                jobs.fails();
                return null;
            });
            jobs.fails();
        }

        private boolean stopping() {
            try (LockHandle other = locks.lock("other").acquire()) {
                return false;
            } catch (IllegalStateException e) {
                return true;
            }
        }
    }

    @ApplicationScoped
    public static class Jobs {

        @Locked(value = "job", waitFor = "0", onBusy = SKIP)
        void job() {
            throw new AssertionError("has run");
        }

        @Locked(value = { "one", "two" }, onBusy = SKIP)
        void several() {
            throw new AssertionError("has run");
        }

        @Locked(value = "job", onBusy = SKIP)
        Optional<String> optional() {
            return Optional.of("has run");
        }

        @Locked(value = "job", onBusy = SKIP)
        Uni<String> uni() {
            return Uni.createFrom().item("has run");
        }

        @Locked(value = "job", onBusy = SKIP)
        Multi<String> multi() {
            return Multi.createFrom().item("has run");
        }

        @Locked(value = "job", onBusy = SKIP)
        CompletionStage<String> stage() {
            return CompletableFuture.completedFuture("has run");
        }

        @Locked(value = { "one", "two" }, onBusy = SKIP)
        CompletionStage<String> severalStages() {
            return CompletableFuture.completedFuture("has run");
        }

        @Locked("job")
        void fails() {
            throw new AssertionError("has run");
        }
    }
}
