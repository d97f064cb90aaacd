package io.quarkiverse.lock.deployment.places;

import java.util.function.Consumer;

import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.DotName;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkiverse.lock.deployment.places.StaticBindingsTest.Traced;
import io.quarkiverse.lock.deployment.places.StaticBindingsTest.TracedInterceptor;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.builder.BuildChainBuilder;
import io.quarkus.test.QuarkusUnitTest;

/** Static methods that are not locked, since a build step removed the annotation: locked ones do not hide them. */
class StaticsInVainTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Traced.class, TracedInterceptor.class, OtherwiseIntercepted.class,
                    Overloaded.class, Fine.class, Removal.class))
            .addBuildChainCustomizer(new Removal())
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(OtherwiseIntercepted.class, "run", "no effect on this static method");
                problems.has(Overloaded.class, "run", "no effect on this static method");
                problems.nothingOf(Fine.class);
            });

    @Test
    void fault307_unlockedStaticMethodsAreAllReported() {
        Assertions.fail();
    }

    public static class OtherwiseIntercepted {

        @Locked
        @Traced
        static void run(int times) {
        }
    }

    public static class Overloaded {

        @Locked("a")
        static void run() {
        }

        @Locked
        static void run(int times) {
        }
    }

    public static class Fine {

        @Locked("b")
        @Traced
        static void run() {
        }
    }

    public static class Removal implements Consumer<BuildChainBuilder> {

        @Override
        public void accept(BuildChainBuilder chain) {
            DotName locked = DotName.createSimple(Locked.class);
            chain.addBuildStep(context -> context.produce(new AnnotationsTransformerBuildItem(
                    AnnotationTransformation.forMethods().whenMethod(method -> method.parametersCount() == 1)
                            .transform(each -> each.remove(annotation -> annotation.name().equals(locked))))))
                    .produces(AnnotationsTransformerBuildItem.class).build();
        }
    }
}
