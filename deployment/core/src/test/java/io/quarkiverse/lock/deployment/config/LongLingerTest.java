package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/**
 * The default manager's linger is longer than its own lease allows, and than the lease of a manager that inherits it. Another
 * manager inherits it too, but does not renew its locks and so keeps none.
 */
class LongLingerTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.linger", "16s")
            .overrideConfigKey("quarkus.lock.managers.orders.lease", "31s")
            .overrideConfigKey("quarkus.lock.managers.exports.lease", "32s")
            .overrideConfigKey("quarkus.lock.managers.jobs.lease", "8s")
            .overrideConfigKey("quarkus.lock.managers.jobs.renew", "false")
            .assertException(failure -> assertThat(failure.getMessage().lines()).containsExactlyInAnyOrder(
                    "quarkus.lock.linger (PT16S) must be at most half of quarkus.lock.lease (PT30S): "
                            + "shorten the one, or raise the other",
                    "quarkus.lock.linger (PT16S) must be at most half of quarkus.lock.managers.orders.lease (PT31S): "
                            + "shorten the one, or raise the other"));

    @Test
    void doesNotStart() {
        Assertions.fail();
    }

    @Test
    void fault540_managerWithoutRenewalIsNotChecked() {
        Assertions.fail();
    }
}
