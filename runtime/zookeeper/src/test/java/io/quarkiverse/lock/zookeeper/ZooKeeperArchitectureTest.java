package io.quarkiverse.lock.zookeeper;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** How the packages of this module depend on each other. */
class ZooKeeperArchitectureTest {

    @Test
    void packagesAreFreeOfCycles() {
        var classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.quarkiverse.lock.zookeeper");
        slices().matching("io.quarkiverse.lock.(**)").should().beFreeOfCycles().check(classes);
    }
}
