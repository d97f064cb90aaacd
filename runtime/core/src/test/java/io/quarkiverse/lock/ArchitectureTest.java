package io.quarkiverse.lock;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;

import io.quarkiverse.lock.engine.SystemTime;

/** Which packages may use which, and what none of them may use. */
class ArchitectureTest {

    private static final String ROOT = "io.quarkiverse.lock";
    private static final Path PAGE = Path.of("../../docs/modules/ROOT/pages/internals/architecture.adoc");

    private final JavaClasses classes = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @TestFactory
    Stream<DynamicTest> rules() {
        return Stream.of(packages(), framework(), wallClock(), sleep(), logging(), internals(), cycles(), checkpoints(),
                metrics(), health(), traces(), management(), recordings())
                .map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(classes)));
    }

    /** The API uses types of {@code text} and {@code name} only; each other package uses only those before it. */
    private static ArchRule packages() {
        return layeredArchitecture().consideringOnlyDependenciesInLayers()
                .layer("name").definedBy(ROOT + ".name")
                .layer("api").definedBy(ROOT)
                .layer("spi").definedBy(ROOT + ".spi..")
                .layer("engine").definedBy(ROOT + ".engine..")
                .layer("local").definedBy(ROOT + ".local")
                .layer("runtime").definedBy(ROOT + ".runtime..")
                .whereLayer("name").mayNotAccessAnyLayer()
                .whereLayer("spi").mayOnlyBeAccessedByLayers("engine", "local", "runtime")
                .whereLayer("engine").mayOnlyBeAccessedByLayers("local", "runtime")
                .whereLayer("local").mayOnlyBeAccessedByLayers("runtime")
                .whereLayer("runtime").mayNotBeAccessedByAnyLayer()
                .as("packages use only those above them");
    }

    /** The page lists them in this order. */
    @ParameterizedTest
    @CsvSource({ "engine, Packages of the engine", "runtime, Packages of the Quarkus integration" })
    void packagesUseOnlyThoseListedBefore(String parent, String title) throws IOException {
        String table = Files.readString(PAGE).split("(?m)^== " + title + "$")[1].split("(?m)^\\|===$")[1];
        List<String> listed = Pattern.compile("(?m)^\\|`\\.(\\w+)` \\|").matcher(table).results().map(row -> row.group(1))
                .toList();
        assertThat(listed).hasSizeGreaterThan(5);
        LayeredArchitecture order = layeredArchitecture().consideringOnlyDependenciesInLayers();
        for (String each : listed) {
            order = order.layer(each).definedBy(ROOT + '.' + parent + '.' + each);
        }
        for (int i = 0; i < listed.size(); i++) {
            String[] later = listed.subList(i + 1, listed.size()).toArray(String[]::new);
            var layer = order.whereLayer(listed.get(i));
            order = later.length == 0 ? layer.mayNotBeAccessedByAnyLayer() : layer.mayOnlyBeAccessedByLayers(later);
        }
        order.ensureAllClassesAreContainedInArchitecture().check(classes.that(resideInAPackage(ROOT + '.' + parent + ".*")));
    }

    private static ArchRule framework() {
        return classes().that(resideInAnyPackage(ROOT + ".spi..", ROOT + ".engine..", ROOT + ".local"))
                .should().onlyDependOnClassesThat(resideInAnyPackage("java..", ROOT + "..", "io.smallrye.mutiny..",
                        "io.smallrye.common.annotation..", "org.jboss.logging..", "org.jspecify..",
                        // what Mutiny is made of
                        "org.reactivestreams..", "io.smallrye.common.constraint.."))
                .as("the engine knows no framework");
    }

    private static ArchRule wallClock() {
        return noClasses().that().doNotHaveFullyQualifiedName(SystemTime.class.getName())
                .should().callMethod(System.class, "currentTimeMillis")
                .orShould().callMethod(Instant.class, "now")
                .orShould().callMethod(Instant.class, "now", Clock.class)
                .orShould().dependOnClassesThat().belongToAnyOf(Clock.class)
                .as("nobody asks the wall clock but SystemTime");
    }

    private static ArchRule sleep() {
        return noClasses().should().callMethod(Thread.class, "sleep", long.class).as("nobody sleeps");
    }

    private static ArchRule logging() {
        return noClasses().should().dependOnClassesThat(resideInAPackage("java.util.logging.."))
                .orShould().dependOnClassesThat(resideInAPackage("org.slf4j.."))
                .as("logging goes through JBoss Logging");
    }

    /**
     * They change from release to release. Only {@code QuarkusCallerThreads} leaves the context that a task came with,
     * and enters one on any thread: Vert.x has no public call for either, and every executor of Quarkus propagates the context.
     */
    private static ArchRule internals() {
        return noClasses().that().haveNameNotMatching(".*\\.QuarkusCallerThreads(\\$.*)?")
                .should().dependOnClassesThat(resideInAnyPackage("..impl..", "..imps..", "..internal.."))
                .as("internals of others are not used");
    }

    /** This keeps it optional: a class that is not used is not loaded. */
    private static ArchRule checkpoints() {
        return noClasses().that().doNotHaveSimpleName("CheckpointedLocks")
                .should().dependOnClassesThat(resideInAPackage("org.crac.."))
                .as("only one class knows org.crac");
    }

    private static ArchRule metrics() {
        return noClasses().that().resideOutsideOfPackage(ROOT + ".runtime.metrics")
                .should().dependOnClassesThat(resideInAPackage("io.micrometer.."))
                .as("only the meters know Micrometer");
    }

    private static ArchRule health() {
        return noClasses().that().resideOutsideOfPackage(ROOT + ".runtime.health")
                .should().dependOnClassesThat(resideInAnyPackage("org.eclipse.microprofile.health..", "io.smallrye.health.."))
                .as("only the health check knows health checks");
    }

    private static ArchRule traces() {
        return noClasses().that().resideOutsideOfPackage(ROOT + ".runtime.traces")
                .should().dependOnClassesThat(resideInAPackage("io.opentelemetry.."))
                .as("only the spans know OpenTelemetry");
    }

    private static ArchRule management() {
        return noClasses().that().resideOutsideOfPackage(ROOT + ".runtime.management")
                .should().dependOnClassesThat(resideInAnyPackage("io.vertx.ext..", "io.vertx.core.http..", "io.netty..",
                        "io.quarkus.vertx.http..", "io.quarkus.security.."))
                .as("only the endpoint for operators knows HTTP");
    }

    /** It brings about a hundred classes. */
    private static ArchRule recordings() {
        return noClasses().that().resideOutsideOfPackage(ROOT + ".runtime.jfr")
                .should().dependOnClassesThat(resideInAPackage("jdk.jfr.."))
                .as("only the recordings know JFR");
    }

    private static ArchRule cycles() {
        return slices().matching(ROOT + ".(**)").should().beFreeOfCycles().as("packages have no cycles");
    }
}
