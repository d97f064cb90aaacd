package io.quarkiverse.lock.deployment.places;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.grpc.BindableService;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A gRPC server calls a method of its services when the application starts. */
class GrpcServicesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(BindableService.class, CounterImplBase.class, WholeClass.class,
                    WithTemplate.class, OwnMethods.class, NoService.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(WholeClass.class, "bindService", "when the application starts",
                        "put it on the methods of the service");
                problems.has(WithTemplate.class, "bindService", "when the application starts");
                problems.nothingOf(OwnMethods.class, NoService.class);
            });

    @Test
    void fault444_lockedBindServiceIsRejected() {
        Assertions.fail();
    }

    /** Like generated code. */
    public abstract static class CounterImplBase implements BindableService {

        @Override
        public final Object bindService() {
            return this;
        }

        public void next(String name) {
        }
    }

    @Locked
    @Singleton
    @Unremovable
    public static class WholeClass extends CounterImplBase {

        @Override
        public void next(String name) {
        }
    }

    @Locked("counter-{name}")
    @Singleton
    @Unremovable
    public static class WithTemplate extends CounterImplBase {

        @Override
        public void next(String name) {
        }
    }

    @Singleton
    @Unremovable
    public static class OwnMethods extends CounterImplBase {

        @Override
        @Locked("own-{name}")
        public void next(String name) {
        }
    }

    @Locked("none")
    @Singleton
    @Unremovable
    public static class NoService {

        public Object bindService() {
            return this;
        }
    }
}
