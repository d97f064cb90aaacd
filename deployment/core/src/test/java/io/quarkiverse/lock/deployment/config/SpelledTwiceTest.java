package io.quarkiverse.lock.deployment.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.microprofile.config.spi.ConfigSource;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** If a variable and a property spelled a manager differently, one of the two would have no effect. */
class SpelledTwiceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Environment.class, Environment.OfManagers.class)
                    .addAsServiceProvider(ConfigSource.class, Environment.OfManagers.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.managers.orders.lease", "40s")
            .overrideConfigKey("quarkus.lock.managers.stock.lease", "40s")
            .overrideConfigKey("quarkus.lock.managers.\"pay\".lease", "40s")
            .assertException(failure -> assertThat(failure)
                    .hasMessageContaining("quarkus.lock.managers.\"orders\".* and quarkus.lock.managers.orders.* are two "
                            + "spellings of one key")
                    .hasMessageNotContaining("stock").hasMessageNotContaining("pay"));

    @Test
    void fault508_variableMustSpellManagerLikeProperties() {
        Assertions.fail();
    }
}
