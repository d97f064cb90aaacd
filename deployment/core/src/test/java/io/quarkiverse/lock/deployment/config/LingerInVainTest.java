package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** Configuring linger for a lock that never lingers is an error; a manager's default linger does not apply to it. */
class LingerInVainTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Pools.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.linger", "10s")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"limited\".linger", "200ms")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"kept\".hold-at-least", "1m")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"unrenewed\".renew", "false")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"unlimited\".linger", "0")
            .overrideRuntimeConfigKey("my.linger", "300ms")
            .overrideRuntimeConfigKey("my.keep", "1m")
            .assertException(failure -> {
                assertThat(failure).hasMessageContainingAll(
                        "Pools.limited: quarkus.lock.overrides.\"limited\".linger (PT0.2S): "
                                + "linger has no effect on a lock with a limit",
                        "Pools.limitedToo: @Locked(linger = \"${my.linger}\") (PT0.3S): "
                                + "linger has no effect on a lock with a limit",
                        "Pools.kept: @Locked(linger = \"1s\") (PT1S): "
                                + "linger has no effect together with holdAtLeast",
                        "Pools.keptToo: @Locked(linger = \"${my.linger}\") (PT0.3S): "
                                + "linger has no effect together with holdAtLeast",
                        "Pools.keptPerhaps: @Locked(linger = \"1s\") (PT1S): "
                                + "linger has no effect together with holdAtLeast",
                        "Pools.unrenewed: @Locked(linger = \"1s\") (PT1S): "
                                + "linger has no effect on a lock that is not renewed",
                        "Pools.unrenewedToo: @Locked(linger = \"${my.linger}\") (PT0.3S): "
                                + "linger has no effect on a lock that is not renewed");
                assertThat(failure.getMessage().lines()).hasSize(7);
            });

    @Test
    void fault386_lingerWithoutEffectIsRejected() {
        Assertions.fail();
    }

    @Test
    void fault540_managerLingerIsNotCheckedForUnkeptLocks() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Pools {

        @Locked(value = "limited", limit = 3)
        void limited() {
        }

        @Locked(value = "limited too", limit = 3, linger = "${my.linger}")
        void limitedToo() {
        }

        @Locked(value = "kept", linger = "1s")
        void kept() {
        }

        @Locked(value = "kept too", linger = "${my.linger}", holdAtLeast = "1m")
        void keptToo() {
        }

        @Locked(value = "kept perhaps", linger = "1s", holdAtLeast = "${my.keep:0}")
        void keptPerhaps() {
        }

        @Locked(value = "kept by none", linger = "1s", holdAtLeast = "${my.other.keep:0}")
        void keptByNone() {
        }

        @Locked(value = "unrenewed", linger = "1s")
        void unrenewed() {
        }

        @Locked(value = "unrenewed too", linger = "${my.linger}", renew = "false")
        void unrenewedToo() {
        }

        @Locked(value = "unlimited", limit = 3)
        void unlimited() {
        }

        @Locked(value = "by default", holdAtLeast = "1m", renew = "false", lease = "8s")
        void byDefault() {
        }

        @Locked(value = "limited by default", limit = 3, lease = "8s")
        void limitedByDefault() {
        }
    }
}
