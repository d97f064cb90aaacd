package io.quarkiverse.lock.deployment;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** Which packages may use which. */
class DeploymentArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.quarkiverse.lock.deployment");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.quarkiverse.lock.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    /** A build step knows what is recorded for run time, but not how locks work there. */
    @Test
    void deploymentDoesNotDependOnEngine() {
        noClasses().should().dependOnClassesThat().resideInAPackage("io.quarkiverse.lock.engine..").check(CLASSES);
    }

    /** Internals change from one release to the next. */
    @Test
    void thirdPartyInternalsAreNotUsed() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("..impl..", "..imps..", "..internal..").check(CLASSES);
    }
}
