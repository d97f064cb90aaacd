package io.quarkiverse.lock.deployment.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.quarkus.test.QuarkusProdModeTest;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** A packaged application whose flight recording begins after its first locks is recorded from then on. */
class RecordedLaterTest {

    @RegisterExtension
    static final QuarkusProdModeTest APP = new QuarkusProdModeTest()
            .withApplicationRoot(jar -> jar.addClasses(Locks.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.jfr.threshold", "0s")
            .setExpectExit(true)
            .setRun(true);

    @Test
    void onlyLocksAfterRecordingStartAreRecorded() {
        assertThat(APP.getExitCode()).isZero();
        assertThat(APP.getStartupConsoleOutput())
                .contains("recorded quarkus.lock.Wait of after", "recorded quarkus.lock.Hold of after")
                .doesNotContain("of before");
    }

    @QuarkusMain
    public static class Locks implements QuarkusApplication {

        @Inject
        LockManager locks;

        @Override
        public int run(String... args) throws Exception {
            locks.lock("before").acquire().close();
            Path file = Files.createTempFile("locks", ".jfr");
            try (Recording recording = new Recording()) {
                recording.enable("quarkus.lock.Wait");
                recording.enable("quarkus.lock.Hold");
                recording.start();
                locks.lock("after").acquire().close();
                recording.stop();
                recording.dump(file);
                for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
                    System.out.println("recorded " + event.getEventType().getName() + " of " + event.getString("name"));
                }
            } finally {
                Files.delete(file);
            }
            return 0;
        }
    }
}
