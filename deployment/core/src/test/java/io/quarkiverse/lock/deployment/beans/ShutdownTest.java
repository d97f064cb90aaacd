package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.QuarkusUnitTest;

/** Locks work from the start-up event on; shutdown waits for holders within its timeout, and rejects all others. */
class ShutdownTest {

    private static final String LOG = ShutdownTest.class.getName();

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Starter.class, Watching.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.shutdown.timeout", "10s")
            .setAfterUndeployListener(() -> assertThat(System.clearProperty(LOG))
                    .as("what happened, in order").isEqualTo(" refused released destroyed"));

    @Inject
    LockManager locks;

    @Inject
    Starter starter;

    @Test
    void shutdownBeginsWhileLockIsHeld() {
        assertThat(starter.started()).isTrue();
        LockHandle hold = locks.lock("busy").acquire();
        // keeps it until a caller is rejected, which shows that shutdown has begun
        Thread holder = new Thread(() -> {
            while (!refused(locks)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            log("refused");
            hold.close();
        });
        holder.setDaemon(true);
        holder.start();
    }

    private static boolean refused(LockManager locks) {
        try (LockHandle other = locks.lock("other").acquire()) {
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    static void log(String what) {
        System.setProperty(LOG, System.getProperty(LOG, "") + ' ' + what);
    }

    @ApplicationScoped
    public static class Starter {

        private boolean started;

        boolean started() {
            return started;
        }

        void onStart(@Observes StartupEvent event) {
            work();
        }

        @Locked("start")
        void work() {
            started = true;
        }

        @PreDestroy
        void destroyed() {
            log("destroyed");
        }
    }

    @Singleton
    public static class Watching implements LockListener {

        @Override
        public void onEvent(LockEvent event) {
            if (event.kind() == Kind.RELEASED && event.name().equals("busy")) {
                log("released");
            }
        }
    }
}
