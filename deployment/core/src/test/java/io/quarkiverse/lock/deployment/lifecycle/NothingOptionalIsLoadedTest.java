package io.quarkiverse.lock.deployment.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.quarkus.test.QuarkusProdModeTest;

/**
 * An application without Micrometer, OpenTelemetry, health checks and an endpoint for operators runs, and pays nothing for
 * them: none of their classes is loaded, none of JFR without a recording, and none that only development and tests need.
 */
class NothingOptionalIsLoadedTest {

    private static final Path LOADED = Path.of("target", "loaded-classes.log").toAbsolutePath();

    @RegisterExtension
    static final QuarkusProdModeTest APP = new QuarkusProdModeTest()
            .withApplicationRoot(jar -> jar.addClasses(Locks.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.jfr.threshold", "0s")
            .setJVMArgs(List.of("-Xlog:class+load:file=" + LOADED))
            .setExpectExit(true)
            .setRun(true);

    @Test
    void noOptionalExtensionClassIsLoaded() throws IOException {
        assertThat(APP.getExitCode()).isZero();
        assertThat(APP.getStartupConsoleOutput()).contains("it was locked");

        try (Stream<String> lines = Files.lines(LOADED)) {
            List<String> loaded = lines.toList();
            assertThat(loaded).anyMatch(line -> line.contains("io.quarkiverse.lock.engine.LockEngine "));
            assertThat(loaded).noneMatch(line -> line.contains("io.micrometer.")
                    || line.contains("io.opentelemetry.")
                    || line.contains(" jdk.jfr.")
                    || line.contains("org.eclipse.microprofile.health.")
                    || line.contains("io.smallrye.health.")
                    || line.contains("io.quarkiverse.lock.runtime.metrics.")
                    || line.contains("io.quarkiverse.lock.runtime.health.")
                    || line.contains("io.quarkiverse.lock.runtime.traces.")
                    || line.contains("io.quarkiverse.lock.runtime.management.")
                    || line.contains("io.vertx.ext.web.")
                    || line.contains("io.quarkiverse.lock.runtime.manager.StoreProbe")
                    || line.contains("io.quarkiverse.lock.engine.lease.Census$")
                    || line.contains("io.quarkiverse.lock.engine.deadlock.LockOrders")
                    || line.contains("io.quarkiverse.lock.spi.LockEvent "));
        }
    }

    @QuarkusMain
    public static class Locks implements QuarkusApplication {

        @Inject
        LockManager locks;

        @Override
        public int run(String... args) throws Exception {
            locks.lock("a").acquire().close();
            System.out.println("it was locked");
            return 0;
        }
    }
}
