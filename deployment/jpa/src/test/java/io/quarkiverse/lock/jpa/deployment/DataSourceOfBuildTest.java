package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.builder.BuildContext;
import io.quarkus.builder.BuildStep;
import io.quarkus.deployment.builditem.ApplicationClassPredicateBuildItem;
import io.quarkus.hibernate.orm.deployment.PersistenceUnitDescriptorBuildItem;
import io.quarkus.test.QuarkusUnitTest;

/** Only the build knows a persistence unit's data source, as with {@code -D} there, or in a native executable. */
class DataSourceOfBuildTest {

    private static final String DATA_SOURCE = "quarkus.hibernate-orm.orders.datasource";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(() -> System.setProperty(DATA_SOURCE, "shop"))
            .addBuildChainCustomizer(chain -> chain.addBuildStep(new BuildStep() {
                @Override
                public void execute(BuildContext context) {
                    context.consumeMulti(PersistenceUnitDescriptorBuildItem.class);
                    System.clearProperty(DATA_SOURCE);
                    context.produce(new ApplicationClassPredicateBuildItem(name -> false));
                }
            }).consumes(PersistenceUnitDescriptorBuildItem.class).produces(ApplicationClassPredicateBuildItem.class).build())
            .setAfterAllCustomizer(() -> System.clearProperty(DATA_SOURCE))
            .overrideConfigKey("quarkus.datasource.shop.db-kind", "h2")
            .overrideConfigKey("quarkus.hibernate-orm.orders.packages", Counter.class.getPackageName())
            .overrideConfigKey("quarkus.lock.jpa.persistence-unit", "orders")
            .overrideRuntimeConfigKey("quarkus.datasource.shop.jdbc.url", "jdbc:h2:mem:build;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.orders.schema-management.strategy", "none")
            .withApplicationRoot(jar -> jar.addClasses(Counter.class))
            .assertException(failure -> {
                assertThat(System.getProperty(DATA_SOURCE)).isNull();
                assertThat(failure).hasStackTraceContaining("Locks cannot be taken")
                        .hasStackTraceContaining("(quarkus.datasource.\"shop\".*)");
            });

    @Test
    void doesNotStart() {
        fail("It has started");
    }
}
