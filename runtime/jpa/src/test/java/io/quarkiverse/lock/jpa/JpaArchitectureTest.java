package io.quarkiverse.lock.jpa;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** Who may use whom. */
class JpaArchitectureTest {

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.quarkiverse.lock.(**)").should().beFreeOfCycles()
                .check(new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.quarkiverse.lock.jpa"));
    }
}
