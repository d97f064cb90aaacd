package io.quarkiverse.lock.deployment.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.dev.console.DevConsoleManager;
import io.quarkus.test.QuarkusDevModeTest;

/** Each reload in development mode ends the previous application's engine: none of its threads and locks are left. */
class DevModeReloadTest {

    /** 20 at scale 1. */
    private static final int RELOADS = (int) Math
            .max(3, 20 * Double.parseDouble(System.getProperty("lock.test.scale", "1")));

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClass(Reloaded.class));

    @Test
    void reloadsLeaveNoLockThreads() throws Exception {
        assertThat(System.getProperty(Reloaded.class.getName())).isEqualTo("version 0");
        assertThat(lockThreads()).as("the application's locks use threads, or else this proves nothing").isNotEmpty();
        for (int reload = 1; reload <= RELOADS; reload++) {
            String before = "version " + (reload - 1);
            String after = "version " + reload;
            List<Thread> old = lockThreads();
            APP.modifySourceFile(Reloaded.class, source -> source.replace(before, after));
            assertThat(DevConsoleManager.getHotReplacementContext().doScan(true)).isTrue();
            assertThat(System.getProperty(Reloaded.class.getName())).isEqualTo(after);
            for (Thread thread : old) {
                thread.join(10_000);
                assertThat(thread.isAlive()).as("%s of %s", thread.getName(), before).isFalse();
            }
            assertThat(lockThreads()).isNotEmpty();
        }
    }

    private static List<Thread> lockThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("quarkus-lock"))
                .toList();
    }
}
