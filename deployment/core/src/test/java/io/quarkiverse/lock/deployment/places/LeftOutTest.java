package io.quarkiverse.lock.deployment.places;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Inject;

import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.places.elsewhere.LibraryClass;
import io.quarkiverse.lock.deployment.places.elsewhere.LibraryContract;
import io.quarkiverse.lock.deployment.places.elsewhere.LibraryInternals;
import io.quarkiverse.lock.deployment.places.elsewhere.LibraryService;
import io.quarkus.arc.profile.IfBuildProfile;
import io.quarkus.test.Mock;
import io.quarkus.test.QuarkusUnitTest;

/** A class that the build excludes, a library class that is not a bean, and a mock do not fail the build. */
class LeftOutTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Elsewhere.class, Contract.class, OnlyImplementation.class,
                    Excluded.class, ByHand.class, Service.class, MockService.class, OtherService.class,
                    OtherContract.class, WithReplacement.class, Internals.class))
            .withAdditionalDependency(jar -> jar
                    .addClasses(LibraryService.class, LibraryClass.class, LibraryContract.class, LibraryInternals.class)
                    .addAsManifestResource(EmptyAsset.INSTANCE, "beans.xml"))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.arc.exclude-types", Excluded.class.getName())
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records).extracting(record -> record.getParameters()[0])
                    .containsExactlyInAnyOrder(Elsewhere.class.getName() + ".pay", Contract.class.getName() + ".pay",
                            Excluded.class.getName() + ".pay", ByHand.class.getName() + ".pay",
                            LibraryService.class.getName() + ".pay", LibraryClass.class.getName(),
                            LibraryContract.class.getName() + ".pay", Internals.class.getName() + ".begin",
                            Internals.class.getName() + ".hidden", LibraryInternals.class.getName() + ".begin",
                            LibraryInternals.class.getName() + ".hidden",
                            LibraryInternals.class.getName() + ".hiddenStatic"));

    @Inject
    Service service;

    @Test
    void fault131_excludedClassesOnlyCauseWarnings() {
        assertThat(service.pay()).isEqualTo("mock");
    }

    @ApplicationScoped
    @IfBuildProfile("elsewhere")
    public static class Elsewhere {

        @Locked
        void pay() {
        }
    }

    public interface Contract {

        @Locked
        void pay();
    }

    @ApplicationScoped
    @IfBuildProfile("elsewhere")
    public static class OnlyImplementation implements Contract {

        @Override
        public void pay() {
        }
    }

    @ApplicationScoped
    public static class Excluded {

        @Locked
        void pay() {
        }
    }

    @Vetoed
    @ApplicationScoped
    public static class ByHand {

        @Locked
        void pay() {
        }
    }

    @ApplicationScoped
    @IfBuildProfile("elsewhere")
    public static class Internals {

        @Locked
        @PostConstruct
        void begin() {
            hidden();
        }

        @Locked
        private void hidden() {
        }
    }

    @ApplicationScoped
    public static class Service {

        @Locked
        String pay() {
            return "service";
        }
    }

    @Mock
    @ApplicationScoped
    public static class MockService extends Service {

        @Override
        String pay() {
            return "mock";
        }
    }

    public interface OtherContract {

        @Locked
        void pay();
    }

    @ApplicationScoped
    public static class OtherService implements OtherContract {

        @Override
        @Locked
        public void pay() {
        }
    }

    @Alternative
    @Priority(1)
    @ApplicationScoped
    public static class WithReplacement implements OtherContract {

        @Override
        public void pay() {
        }
    }
}
