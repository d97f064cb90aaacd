package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A skipped call returns the empty value of its return type. */
class SkippedResultTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Reports.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "0");

    @Inject
    LockManager locks;

    @Inject
    Reports reports;

    @Test
    void skippedCallReturnsEmptyResult() throws Exception {
        try (LockHandle hold = locks.lock("report").acquire()) {
            assertThat(hold.isValid()).isTrue();
            reports.plain();
            assertThat(reports.text()).isNull();
            assertThat(reports.optional()).isEmpty();
            assertThat(reports.optionalInt()).isEmpty();
            assertThat(reports.later().await().indefinitely()).isNull();
            assertThat(reports.stage().toCompletableFuture().get()).isNull();
            assertThat(Reports.runs()).isZero();
            assertThatThrownBy(() -> reports.failing()).isInstanceOf(LockBusyException.class)
                    .hasMessageContaining("'report'");
        }
        assertThat(reports.text()).isEqualTo("done");
        assertThat(reports.later().await().indefinitely()).isEqualTo("done");
    }

    @ApplicationScoped
    @Locked(value = "report", onBusy = OnBusy.SKIP)
    public static class Reports {

        private static int runs;

        static int runs() {
            return runs;
        }

        void plain() {
            runs++;
        }

        String text() {
            runs++;
            return "done";
        }

        Optional<String> optional() {
            runs++;
            return Optional.of("done");
        }

        OptionalInt optionalInt() {
            runs++;
            return OptionalInt.of(1);
        }

        Uni<String> later() {
            runs++;
            return Uni.createFrom().item("done");
        }

        CompletionStage<String> stage() {
            runs++;
            return Uni.createFrom().item("done").subscribeAsCompletionStage();
        }

        @Locked("report")
        int failing() {
            return runs++;
        }
    }
}
