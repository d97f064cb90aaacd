package io.quarkiverse.lock.redis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** Which packages may use which. */
class RedisArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.quarkiverse.lock.redis");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.quarkiverse.lock.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void onlySpiOfEngineIsUsed() {
        noClasses().should().dependOnClassesThat()
                .resideInAnyPackage("io.quarkiverse.lock.engine..", "io.quarkiverse.lock.local..").check(CLASSES);
    }

    /** They change from release to release. */
    @Test
    void thirdPartyInternalsAreNotUsed() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("..impl..", "..imps..", "..internal..").check(CLASSES);
    }
}
