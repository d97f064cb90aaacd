package io.quarkiverse.lock.deployment.validation;

import static io.quarkiverse.lock.Locked.OnBusy.FALLBACK;
import static io.quarkiverse.lock.Locked.OnBusy.SKIP;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.test.QuarkusUnitTest;

/** A job that is scheduled on each node and skipped on all but one needs {@code holdAtLeast}, or the nodes run it in turn. */
class ScheduledInTurnTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Jobs.class, ClassLevel.class, Rows.class, Nodes.class,
                    FakeBackends.class))
            .addBuildChainCustomizer(FakeBackends.offer(Rows.class, "rows"))
            .addBuildChainCustomizer(FakeBackends.offerWith(Nodes.class, "nodes", Feature.ASYNC, Feature.LEASE))
            .overrideConfigKey("quarkus.lock.backend", "rows")
            .overrideConfigKey("quarkus.lock.namespace", "shop")
            .overrideConfigKey("quarkus.lock.managers.nodes.backend", "nodes")
            .overrideConfigKey("quarkus.lock.managers.here.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock")
                    && record.getLevel().intValue() >= Level.WARNING.intValue())
            .assertLogRecords(records -> assertThat(records).extracting(ScheduledInTurnTest::message)
                    .allSatisfy(message -> assertThat(message).contains("runs it again", "@Locked(holdAtLeast)"))
                    .satisfiesExactlyInAnyOrder(
                            message -> assertThat(message).startsWith("[" + Jobs.class.getName() + ".skips]")
                                    .doesNotContain("waitFor"),
                            message -> assertThat(message).startsWith("[" + Jobs.class.getName() + ".twiceADay]")
                                    .doesNotContain("waitFor"),
                            message -> assertThat(message).startsWith("[" + Jobs.class.getName() + ".failsAtOnce]")
                                    .doesNotContain("waitFor"),
                            message -> assertThat(message).startsWith("[" + Jobs.class.getName() + ".fallsBack]")
                                    .contains("waitFor to \"0\""),
                            message -> assertThat(message).startsWith("[" + ClassLevel.class.getName() + ".skips]")));

    @Inject
    Jobs jobs;

    @Inject
    ClassLevel classLevel;

    @Test
    void applicationStartsWithExpectedLog() {
        jobs.skips();
        classLevel.skips();
    }

    private static String message(LogRecord record) {
        return String.format(record.getMessage(), record.getParameters());
    }

    @ApplicationScoped
    public static class Jobs {

        @Scheduled(every = "1h")
        @Locked(waitFor = "0", onBusy = SKIP)
        void skips() {
        }

        @Scheduled(cron = "0 0 3 * * ?")
        @Scheduled(cron = "0 0 15 * * ?")
        @Locked(waitFor = "0", onBusy = SKIP)
        void twiceADay() {
        }

        @Scheduled(every = "1h")
        @Locked(waitFor = "0s")
        void failsAtOnce() {
        }

        @Scheduled(every = "1h")
        @Locked(onBusy = FALLBACK, fallbackMethod = "otherwise")
        void fallsBack() {
        }

        void otherwise() {
        }

        @Scheduled(every = "1h")
        @Locked(waitFor = "0", onBusy = SKIP, holdAtLeast = "50m")
        void keepsTheName() {
        }

        @Scheduled(every = "1h")
        @Locked(waitFor = "0", onBusy = SKIP, holdAtLeast = "0")
        void isMeantSo() {
        }

        @Scheduled(every = "1h")
        @Locked
        void waits() {
        }

        @Scheduled(every = "1h")
        @Locked(waitFor = "${the.wait:0}")
        void perhapsWaits() {
        }

        @Scheduled(every = "1h")
        @Locked(waitFor = "0", onBusy = SKIP, mode = LockMode.SHARED)
        void sharesIt() {
        }

        @Scheduled(every = "1h")
        @Locked(waitFor = "0", onBusy = SKIP, limit = 2)
        void runsOnTwoNodes() {
        }

        @Scheduled(every = "1h")
        @Locked(manager = "nodes", waitFor = "0", onBusy = SKIP)
        void onABackendThatCannotKeepNames() {
        }

        @Scheduled(every = "1h")
        @Locked(manager = "here", waitFor = "0", onBusy = SKIP)
        void insideOneJvm() {
        }

        @Scheduled(every = "1h")
        void withoutLock() {
        }

        @Locked(waitFor = "0", onBusy = SKIP)
        void notScheduled() {
        }
    }

    @ApplicationScoped
    @Locked(waitFor = "0", onBusy = SKIP)
    public static class ClassLevel {

        @Scheduled(every = "1h")
        void skips() {
        }

        void notScheduled() {
        }
    }

    @Singleton
    public static class Rows implements LockBackendProvider {

        @Override
        public String name() {
            return "rows";
        }

        @Override
        public LockBackend create(String namespace, String owner) {
            return new LocalBackend(new LocalStore(new SystemTime()), owner);
        }
    }

    @Singleton
    public static class Nodes implements LockBackendProvider {

        @Override
        public String name() {
            return "nodes";
        }

        @Override
        public LockBackend create(String namespace, String owner) {
            return new LocalBackend(new LocalStore(new SystemTime()), owner);
        }
    }
}
