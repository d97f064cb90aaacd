package io.quarkiverse.lock.it.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.faulttolerance.Retry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkus.test.QuarkusUnitTest;

/** If fault tolerance is outside the lock, a name that stays taken blocks the next attempt. The build warns. */
class RetriesOfKeptNamesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Jobs.class, Attempts.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("mp.fault.tolerance.interceptor.priority", "155")
            .setLogRecordPredicate(record -> record.getMessage().contains("@Retry"))
            .assertLogRecords(records -> assertThat(records).extracting(RetriesOfKeptNamesTest::message)
                    .satisfiesExactlyInAnyOrder(
                            message -> assertThat(message).startsWith("[" + Jobs.class.getName() + ".skipped]")
                                    .contains("is skipped, which @Retry takes for a success"),
                            message -> assertThat(message).startsWith("[" + Jobs.class.getName() + ".replaced]")
                                    .contains("calls the fallback"),
                            message -> assertThat(message).startsWith("[" + Jobs.class.getName() + ".refused]")
                                    .contains("does not run")));

    @Inject
    Jobs jobs;

    @BeforeEach
    void begin() {
        Attempts.COUNT.set(0);
    }

    private static String message(LogRecord record) {
        return String.format(record.getMessage(), record.getParameters());
    }

    @Test
    void keptNameBlocksTheRetry() {
        assertThat(jobs.skipped()).isNull();
        assertThat(Attempts.COUNT).hasValue(1);
        assertThat(jobs.replaced()).isEqualTo("instead");
        assertThat(Attempts.COUNT).hasValue(2);
        assertThatThrownBy(() -> jobs.refused()).isInstanceOf(LockBusyException.class);
        assertThat(Attempts.COUNT).hasValue(3);
    }

    @Test
    void waitingRetrySucceeds() {
        assertThat(jobs.patient()).isEqualTo("attempt 2");
    }

    @Test
    void retrySucceedsIfNameIsNotKept() {
        assertThat(jobs.notKept()).isEqualTo("attempt 2");
    }

    @Test
    void retryInsideTheLockSucceeds() {
        assertThat(jobs.around()).isEqualTo("attempt 2");
    }

    @ApplicationScoped
    public static class Jobs {

        @Inject
        Attempts attempts;

        @Locked(value = "skipped", waitFor = "0", holdAtLeast = "1h", onBusy = OnBusy.SKIP)
        @Retry(delay = 0, jitter = 0)
        String skipped() {
            return attempts.fail();
        }

        @Locked(value = "replaced", waitFor = "0", holdAtLeast = "${kept:1h}", onBusy = OnBusy.FALLBACK, fallbackMethod = "instead")
        @Retry(delay = 0, jitter = 0)
        String replaced() {
            return attempts.fail();
        }

        String instead() {
            return "instead";
        }

        @Locked(value = "refused", waitFor = "0", holdAtLeast = "1h")
        @Retry(delay = 0, jitter = 0)
        String refused() {
            return attempts.fail();
        }

        @Locked(value = "patient", waitFor = "1h", holdAtLeast = "10ms", onBusy = OnBusy.SKIP)
        @Retry(delay = 0, jitter = 0)
        String patient() {
            return attempts.next();
        }

        @Locked(value = "not-kept", waitFor = "0", holdAtLeast = "0", onBusy = OnBusy.SKIP)
        @Retry(delay = 0, jitter = 0)
        String notKept() {
            return attempts.next();
        }

        @Locked(value = "around", waitFor = "0", holdAtLeast = "1h", onBusy = OnBusy.SKIP)
        String around() {
            return attempts.retried();
        }
    }

    @ApplicationScoped
    public static class Attempts {

        static final AtomicInteger COUNT = new AtomicInteger();

        String fail() {
            throw new IllegalStateException("attempt " + COUNT.incrementAndGet());
        }

        /** Only the second one succeeds. */
        String next() {
            return COUNT.get() == 0 ? fail() : "attempt " + COUNT.incrementAndGet();
        }

        @Retry(delay = 0, jitter = 0)
        String retried() {
            return next();
        }
    }
}
