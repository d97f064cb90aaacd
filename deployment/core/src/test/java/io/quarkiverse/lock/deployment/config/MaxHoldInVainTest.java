package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** Limiting the renewal of a lock that is not renewed is an error, unless renewal was switched off from elsewhere. */
class MaxHoldInVainTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Reports.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.managers.brief.renew", "false")
            .overrideRuntimeConfigKey("quarkus.lock.max-hold", "1h")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"limited\".max-hold", "2m")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"unrenewed\".renew", "false")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"unrenewed and limited\".renew", "false")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"unrenewed and limited\".max-hold", "4m")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"brief and limited\".max-hold", "5m")
            .overrideRuntimeConfigKey("quarkus.lock.overrides.\"renewed after all\".renew", "true")
            .overrideRuntimeConfigKey("my.limit", "3m")
            .overrideRuntimeConfigKey("my.renew", "false")
            .assertException(failure -> {
                assertThat(failure).hasMessageContainingAll(
                        "Reports.limited: quarkus.lock.overrides.\"limited\".max-hold (PT2M): "
                                + "maxHold has no effect on a lock that is not renewed (@Locked(renew = \"false\")); "
                                + "remove one of the two",
                        "Reports.unrenewedAndLimited: quarkus.lock.overrides.\"unrenewed and limited\".max-hold (PT4M): "
                                + "maxHold has no effect on a lock that is not renewed "
                                + "(quarkus.lock.overrides.\"unrenewed and limited\".renew)",
                        "Reports.briefAndLimited: quarkus.lock.overrides.\"brief and limited\".max-hold (PT5M): "
                                + "maxHold has no effect on a lock that is not renewed (as its manager says)",
                        "Reports.expressed: @Locked(maxHold = \"${my.limit}\") (PT3M): "
                                + "maxHold has no effect on a lock that is not renewed (@Locked(renew = \"${my.renew}\"))");
                assertThat(failure.getMessage().lines()).hasSize(4);
            });

    @Test
    void fault566_maxHoldWithoutEffectIsRejected() {
        Assertions.fail();
    }

    @Test
    void fault566_managerMaxHoldIsIgnoredForUnrenewedLocks() {
        Assertions.fail();
    }

    @Test
    void fault566_renewalMayBeSwitchedOffOverMaxHold() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Reports {

        @Locked(value = "limited", renew = "false")
        void limited() {
        }

        @Locked(value = "unrenewed", maxHold = "1m", renew = "${my.renew}")
        void unrenewed() {
        }

        @Locked(value = "unrenewed and limited", maxHold = "1m")
        void unrenewedAndLimited() {
        }

        @Locked(value = "expressed", maxHold = "${my.limit}", renew = "${my.renew}")
        void expressed() {
        }

        @Locked(value = "brief", maxHold = "1m", manager = "brief")
        void brief() {
        }

        @Locked(value = "brief and limited", manager = "brief")
        void briefAndLimited() {
        }

        @Locked(value = "renewed", maxHold = "1m", renew = "true", manager = "brief")
        void renewed() {
        }

        @Locked(value = "renewed after all", maxHold = "1m", renew = "${my.renew}")
        void renewedAfterAll() {
        }

        @Locked(value = "by default", renew = "false")
        void byDefault() {
        }
    }
}
