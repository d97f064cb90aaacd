package io.quarkiverse.lock.it.observability;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.it.NativeSources;
import io.quarkiverse.lock.it.reach.ReachedCode;

/**
 * What native-image gets for meters, spans, the health check, answers and the endpoint: the profile {@code native-sources}.
 */
class NativeSourcesCheck {

    /**
     * All are beans, which are called and not looked up. Classes in their packages set what is injected into them. Only for
     * {@code Problems} and {@code LockTraces}, into which configuration is injected, does Quarkus itself register the
     * constructor.
     */
    @Test
    void beansAreNotAccessedByReflection() throws IOException {
        assertThat(NativeSources.reflective()).contains("io.quarkiverse.lock.runtime.config.LockRuntimeConfig$$CMImpl")
                .noneMatch(name -> name.startsWith("io.quarkiverse.lock.runtime.metrics.")
                        || name.startsWith("io.quarkiverse.lock.runtime.health.")
                        || name.startsWith("io.quarkiverse.lock.runtime.management.")
                        || name.startsWith("io.quarkiverse.lock.runtime.traces.") && !name.endsWith(".LockTraces")
                        || name.startsWith("io.quarkiverse.lock.rest.") && !name.endsWith(".Problems"));
    }

    @Test
    void imageContainsTheBeans() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target", "native-sources"))) {
            List<String> beans = files.filter(file -> file.toString().endsWith("-runner.jar"))
                    .flatMap(NativeSourcesCheck::entries).toList();
            assertThat(beans).contains("io/quarkiverse/lock/runtime/metrics/LockMetrics_Bean.class",
                    "io/quarkiverse/lock/runtime/health/LockReadiness_Bean.class",
                    "io/quarkiverse/lock/runtime/traces/LockTraces_Bean.class",
                    "io/quarkiverse/lock/rest/Problems_Bean.class", "io/quarkiverse/lock/rest/BusyLocks_Bean.class",
                    "io/quarkiverse/lock/rest/LostLocks_Bean.class", "io/quarkiverse/lock/rest/UnavailableLocks_Bean.class")
                    .as("the endpoint for operators").anyMatch(name -> name.contains("LockManagementProcessor$routes"));
        }
    }

    @Test
    void unfitClassesAreInitializedAtRunTime() throws Exception {
        String feature = NativeSources.feature();
        assertThat(NativeSources.notInAnImage(LockManager.class))
                .allSatisfy(name -> assertThat(feature).as("initialised at run time").contains(name));
    }

    /** This application has none of the drivers and few of the extensions that locks can use. */
    @Test
    void fault488_absentTypesAreNotReached() throws IOException {
        ReachedCode reached = NativeSources.reached();
        assertThat(reached.classes()).contains("io.quarkiverse.lock.jpa.notify.NotificationListener",
                "io.quarkiverse.lock.jpa.pessimistic.PostgresRowLock");
        assertThat(reached.missingTypes()).isEmpty();
    }

    private static Stream<String> entries(Path jar) {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().map(entry -> entry.getName()).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
