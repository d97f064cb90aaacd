package io.quarkiverse.lock.jpa;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

import io.quarkiverse.lock.jpa.database.PgDriver;
import io.quarkiverse.lock.testkit.Fault;

/** Which packages may use which. */
class JpaArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.quarkiverse.lock.jpa");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.quarkiverse.lock.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void onlySpiOfEngineIsUsed() {
        noClasses().should().dependOnClassesThat()
                .resideInAnyPackage("io.quarkiverse.lock.engine..", "io.quarkiverse.lock.local..").check(CLASSES);
    }

    /** Otherwise no native executable could be built without the driver. */
    @Test
    @Fault(488)
    void fault488_postgresDriverIsReferencedByOneClass() {
        noClasses().that().doNotBelongToAnyOf(PgDriver.class).should().dependOnClassesThat()
                .resideInAPackage("org.postgresql..").check(CLASSES);
        noClasses().that().doNotBelongToAnyOf(LockDatabase.class).should().dependOnClassesThat()
                .belongToAnyOf(PgDriver.class).check(CLASSES);
    }

    /** They change from one release to the next. */
    @Test
    void thirdPartyInternalsAreNotUsed() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("..impl..", "..imps..", "..internal..").check(CLASSES);
    }
}
