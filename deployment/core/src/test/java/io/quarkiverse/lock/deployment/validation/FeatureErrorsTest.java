package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkiverse.lock.runtime.manager.LocalBackendProvider;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Features that the chosen backend lacks are found when the application is built. */
class FeatureErrorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Orders.class))
            .addBuildChainCustomizer(FakeBackends.offerWith(LocalBackendProvider.class, "rows"))
            .overrideConfigKey("quarkus.lock.managers.fast.backend", "local")
            .assertException(failure -> assertThat(failure).hasMessageContainingAll(
                    "method=later] lock backend 'rows' works for blocking methods only", "quarkus.lock.backend",
                    "method=stage] lock backend 'rows'",
                    "method=shortLease] @Locked(lease = \"5s\"): lock backend 'rows' has no separate lease",
                    "method=reads] @Locked(mode = SHARED): lock backend 'rows' does not support it. Remove it, so that one "
                            + "call runs at a time; no other backend of the application that works across JVMs supports it "
                            + "either",
                    "method=counted] @Locked(limit = 5): lock backend 'rows' does not support it.")
                    .message().doesNotContain("method=fine").doesNotContain(": local"));

    @Test
    void fault129_localIsNotSuggestedAsAlternative() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders {

        @Locked
        Uni<String> later() {
            return Uni.createFrom().nullItem();
        }

        @Locked
        CompletionStage<String> stage() {
            return null;
        }

        @Locked(lease = "5s")
        void shortLease() {
        }

        @Locked(mode = LockMode.SHARED)
        void reads() {
        }

        @Locked(limit = 5)
        void counted() {
        }

        @Locked(manager = "fast", mode = LockMode.SHARED)
        void fineToo() {
        }

        @Locked(manager = "fast", limit = 5)
        void fineAsWell() {
        }

        @Locked(manager = "fast", lease = "5s")
        Uni<String> fine() {
            return Uni.createFrom().nullItem();
        }
    }
}
