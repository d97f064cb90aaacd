package io.quarkiverse.lock.deployment.places;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Stereotype;
import jakarta.interceptor.InterceptorBinding;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.test.QuarkusUnitTest;

/** The container looks into stereotypes and interceptor bindings, and into no other annotation. */
class MetaAnnotationsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Plain.class, Forgotten.class, Kind.class, Binding.class, Bean.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.hasClass(Plain.class, "neither a stereotype nor an interceptor binding", "@Stereotype",
                        "@InterceptorBinding");
                problems.hasClass(Forgotten.class, "@Retention(RUNTIME)");
                problems.nothingOf(Kind.class, Binding.class, Bean.class);
            });

    @Test
    void fault164_plainAnnotationsLockNothing() {
        Assertions.fail();
    }

    @Locked
    @Target({ ElementType.TYPE, ElementType.METHOD })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Plain {
    }

    /** It does not exist at run time, so the container does not see it. */
    @Locked
    @InterceptorBinding
    @Target({ ElementType.TYPE, ElementType.METHOD })
    @Retention(RetentionPolicy.CLASS)
    public @interface Forgotten {
    }

    @Locked
    @Stereotype
    @ApplicationScoped
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Kind {
    }

    @Locked
    @InterceptorBinding
    @Target({ ElementType.TYPE, ElementType.METHOD })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Binding {
    }

    @Kind
    public static class Bean {

        @Plain
        void plain() {
        }

        @Binding
        void bound() {
        }
    }
}
