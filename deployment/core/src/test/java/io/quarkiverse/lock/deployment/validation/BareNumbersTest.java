package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** ShedLock reads a bare number as milliseconds, {@code @Locked} as seconds. */
class BareNumbersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Jobs.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("my.time", "30s")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock")
                    && record.getLevel().intValue() >= Level.WARNING.intValue())
            .assertLogRecords(records -> assertThat(records).extracting(BareNumbersTest::message).containsExactlyInAnyOrder(
                    "[" + Jobs.class.getName()
                            + ".keeps] @Locked(holdAtLeast = \"60000\") is 16h40m: a number without a unit is "
                            + "one of seconds. Write \"60000ms\" if it should be milliseconds, or \"60000s\"",
                    "[" + Jobs.class.getName() + ".holds] @Locked(maxHold = \"1000\") is 16m40s: a number without a unit is "
                            + "one of seconds. Write \"1000ms\" if it should be milliseconds, or \"1000s\""));

    @Inject
    Jobs jobs;

    private static String message(LogRecord record) {
        return String.format(record.getMessage(), record.getParameters());
    }

    @Test
    void applicationStartsWithExpectedLog() {
        jobs.saysHowLong();
    }

    @ApplicationScoped
    public static class Jobs {

        @Locked(holdAtLeast = "60000")
        void keeps() {
        }

        @Locked(maxHold = "1000")
        void holds() {
        }

        @Locked(holdAtLeast = "999", maxHold = "0999")
        void isShort() {
        }

        @Locked(holdAtLeast = "60000ms", maxHold = "60000s")
        void saysHowLong() {
        }

        @Locked(holdAtLeast = "${my.time:60000}", lease = "1000")
        void isSaidElsewhere() {
        }
    }
}
