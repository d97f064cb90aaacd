package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionStage;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.hibernate.reactive.panache.common.WithTransaction;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Where Hibernate Reactive silently begins no transaction, its annotation does not count as one. */
class NoSessionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Bean.class, WithTransaction.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records).extracting(NoSessionTest::message)
                    .satisfiesExactlyInAnyOrder(
                            message -> assertThat(message).contains(Bean.class.getName() + ".stream]", "a Multi", "no effect",
                                    "Return a Uni", "SessionFactory.withTransaction"),
                            message -> assertThat(message).contains(Bean.class.getName() + ".stage]", "a CompletionStage")));

    @Inject
    Bean bean;

    @Test
    void applicationStartsWithExpectedLog() {
        assertThat(bean.uni().await().indefinitely()).isEqualTo("uni");
    }

    private static String message(LogRecord record) {
        return String.format(record.getMessage(), record.getParameters());
    }

    @ApplicationScoped
    @WithTransaction
    public static class Bean {

        @Locked
        Uni<String> uni() {
            return Uni.createFrom().item("uni");
        }

        @Locked
        Multi<String> stream() {
            return Multi.createFrom().item("stream");
        }

        @Locked
        CompletionStage<String> stage() {
            return Uni.createFrom().item("stage").subscribeAsCompletionStage();
        }

        @Locked
        String blocking() {
            return "blocking";
        }

        Multi<String> withoutLock() {
            return Multi.createFrom().item("stream");
        }
    }
}
