package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** A stop that waits for nobody names the locks that it leaves behind, and what would help. */
class LeftAtShutdownTest {

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "one")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final List<String> warnings = new ArrayList<>();

    @Test
    void whatIsHeldIsNamed() {
        LockHandle held = engine.manager(ManagerDefaults.STANDARD).lock("order-7").acquire();
        closeEngine();
        assertThat(warnings).singleElement().asString().contains("[order-7]", "when their leases end",
                "A longer quarkus.shutdown.timeout");
        Reference.reachabilityFence(held); // until here nobody may think that it was forgotten
    }

    @Test
    void nothingIsSaidIfNothingIsHeld() {
        engine.manager(ManagerDefaults.STANDARD).lock("order-7").acquire().close();
        closeEngine();
        assertThat(warnings).isEmpty();
    }

    private void closeEngine() {
        Logger logger = Logger.getLogger(Shutdown.class.getName());
        Handler handler = new Handler() {

            @Override
            public void publish(LogRecord logged) {
                if (logged.getLevel().intValue() >= Level.WARNING.intValue()) {
                    warnings.add(logged instanceof ExtLogRecord ext ? ext.getFormattedMessage() : logged.getMessage());
                }
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        logger.addHandler(handler);
        try {
            engine.close();
        } finally {
            logger.removeHandler(handler);
        }
    }
}
