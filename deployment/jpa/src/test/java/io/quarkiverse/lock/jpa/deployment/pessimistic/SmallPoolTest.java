package io.quarkiverse.lock.jpa.deployment.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** A pool that is too small for locks in transactions is reported at startup. */
@FullBuild
class SmallPoolTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.lock.jpa.strategy", "pessimistic")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:small;DB_CLOSE_DELAY=-1")
            .overrideRuntimeConfigKey("quarkus.datasource.jdbc.max-size", "2")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.schema-management.strategy", "drop-and-create")
            .withEmptyApplication()
            .setLogRecordPredicate(record -> record.getLoggerName().startsWith("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records).anySatisfy(record -> {
                assertThat(record.getLevel().intValue()).isEqualTo(Level.WARNING.intValue());
                assertThat(String.format(record.getMessage(), record.getParameters()))
                        .contains("quarkus.datasource.jdbc.max-size=2", "quarkus.lock.jpa.strategy=pessimistic");
            }));

    @Inject
    LockManager locks;

    @Test
    void lockWorksDespiteSmallPool() throws Exception {
        assertThat(locks.lock("n").call(() -> "done")).isEqualTo("done");
    }
}
