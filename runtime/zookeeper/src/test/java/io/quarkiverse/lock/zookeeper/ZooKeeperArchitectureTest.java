package io.quarkiverse.lock.zookeeper;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** Which packages may use which. */
class ZooKeeperArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.quarkiverse.lock.zookeeper");

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.quarkiverse.lock.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void onlySpiOfEngineIsUsed() {
        noClasses().should().dependOnClassesThat()
                .resideInAnyPackage("io.quarkiverse.lock.engine..", "io.quarkiverse.lock.local..").check(CLASSES);
    }

    /** Internals change between releases. The state is what Curator's API returns. */
    @Test
    void thirdPartyInternalsAreNotUsed() {
        noClasses().should().dependOnClassesThat(resideInAnyPackage("..impl..", "..imps..", "..internal..")
                .and(not(belongToAnyOf(CuratorFrameworkState.class)))).check(CLASSES);
    }
}
