package io.quarkiverse.lock.jpa.deployment.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.Locked.Release;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Using a feature that a lock in a transaction lacks fails the build. */
class BuildErrorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.jpa.strategy", "pessimistic")
            .withApplicationRoot(jar -> jar.addClasses(Wrong.class))
            .assertException(failure -> assertThat(messages(failure))
                    .contains("method=uni]", "io.smallrye.mutiny.Uni", "@RunOnVirtualThread", "quarkus.lock.jpa.strategy=lease")
                    .contains("method=stage]", "java.util.concurrent.CompletionStage")
                    .contains("method=multi]", "io.smallrye.mutiny.Multi")
                    .contains("method=shared]", "mode = SHARED", "method=limited]", "@Locked(limit = 5)")
                    .contains("method=future]",
                            "until a java.util.concurrent.Future<java.lang.String> ends: return the result itself")
                    .doesNotContain("a Uni")
                    .contains("method=lease]", "@Locked(lease = \"5s\")")
                    .contains("method=renew]", "@Locked(renew = \"true\")")
                    .contains("method=maxHold]", "@TransactionConfiguration")
                    .contains("method=maxHoldUnrenewed]", "@Locked(maxHold = \"7s\")", "@Locked(renew = \"false\")")
                    .doesNotContain("maxHold has no effect")
                    .contains("method=holdAtLeast]", "@Locked(holdAtLeast = \"1m\")")
                    .contains("method=linger]", "@Locked(linger = \"1s\")")
                    .contains("method=onReturn]", "@Locked(release = ON_RETURN)")
                    .contains("method=several]", "@Locked(onBusy = FALLBACK) with several names", "Use one name, or FAIL")
                    .doesNotContain("method=right]", "method=rightWithOne]", "method=rightWithSeveral]",
                            "method=rightWithoutTime]"));

    private static String messages(Throwable failure) {
        var all = new StringBuilder(String.valueOf(failure));
        for (Throwable each : failure.getSuppressed()) {
            all.append('\n').append(messages(each));
        }
        return failure.getCause() == null ? all.toString() : all + "\n" + messages(failure.getCause());
    }

    @ApplicationScoped
    @Unremovable
    public static class Wrong {

        @Locked("n")
        public Uni<String> uni() {
            return Uni.createFrom().nullItem();
        }

        @Locked("n")
        public CompletionStage<String> stage() {
            return CompletableFuture.completedStage("done");
        }

        @Locked("n")
        public Multi<String> multi() {
            return Multi.createFrom().empty();
        }

        @Locked(value = "n", mode = LockMode.SHARED)
        public void shared() {
            // not built
        }

        @Locked(value = "n", limit = 5)
        public void limited() {
            // not built
        }

        @Locked("n")
        public Future<String> future() {
            return CompletableFuture.completedFuture("done");
        }

        @Locked(value = "n", lease = "5s")
        public void lease() {
            // not built
        }

        @Locked(value = "n", renew = "true")
        public void renew() {
            // not built
        }

        @Locked(value = "n", maxHold = "5s")
        public void maxHold() {
            // not built
        }

        @Locked(value = "n", maxHold = "7s", renew = "false")
        public void maxHoldUnrenewed() {
            // not built
        }

        @Locked(value = "n", holdAtLeast = "1m")
        public void holdAtLeast() {
            // not built
        }

        @Locked(value = "n", linger = "1s")
        public void linger() {
            // not built
        }

        @Locked(value = "n", release = Release.ON_RETURN)
        public void onReturn() {
            // not built
        }

        @Locked(value = { "a", "b" }, onBusy = OnBusy.FALLBACK, fallbackMethod = "instead")
        public void several() {
            // not built
        }

        @Locked(value = "n", waitFor = "5s")
        public void right() {
            // is fine
        }

        @Locked(value = "n", onBusy = OnBusy.FALLBACK, fallbackMethod = "instead")
        public void rightWithOne() {
            // is fine
        }

        @Locked(value = { "a", "b" }, onBusy = OnBusy.SKIP)
        public void rightWithSeveral() {
            // is fine
        }

        @Locked(value = "n", holdAtLeast = "0", linger = "0s")
        public void rightWithoutTime() {
            // is fine
        }

        void instead() {
            // nothing
        }
    }

    @Test
    void doesNotBuild() {
        throw new AssertionError("it was built");
    }
}
