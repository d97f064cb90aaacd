package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** A call takes the locks of one annotation only, so two annotations would lock less than they declare. */
class SeveralAnnotationsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(OnMethods.class, OnClass.class, Stereotyped.class, Right.class, One.class,
                            Other.class, OfOne.class, OfOther.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                has(failure, OnMethods.class, "both", "@Locked([\"one\"]), @Locked([\"own\"])");
                has(failure, OnMethods.class, "two", "@Locked([\"one\"]), @Locked([\"other\"])");
                has(failure, OnMethods.class, "statics", "@Locked([\"one\"]), @Locked([\"own\"])");
                has(failure, OnClass.class, "pay", "@Locked([\"class\"]), @Locked([\"one\"])");
                has(failure, Stereotyped.class, "pay", "@Locked([\"of-one\"]), @Locked([\"of-other\"])");
                assertThat(failure.getMessage()).doesNotContain(Right.class.getName());
            });

    private static void has(Throwable failure, Class<?> type, String method, String which) {
        new BuildProblems(failure).has(type, method, "only one of these would count", which, "keep one");
    }

    @Test
    void fault177_severalLockAnnotationsAreRejected() {
        Assertions.fail();
    }

    @Locked("one")
    @InterceptorBinding
    @Target({ ElementType.TYPE, ElementType.METHOD })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface One {
    }

    @Locked("other")
    @InterceptorBinding
    @Target({ ElementType.TYPE, ElementType.METHOD })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Other {
    }

    @Locked("of-one")
    @Stereotype
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface OfOne {
    }

    @Locked("of-other")
    @Stereotype
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface OfOther {
    }

    @Unremovable
    @ApplicationScoped
    public static class OnMethods {

        @One
        @Locked("own")
        void both() {
        }

        @One
        @Other
        void two() {
        }

        @One
        @Locked("own")
        static void statics() {
        }
    }

    @One
    @Locked("class")
    @Unremovable
    @ApplicationScoped
    public static class OnClass {

        void pay() {
        }
    }

    @OfOne
    @OfOther
    @Unremovable
    @ApplicationScoped
    public static class Stereotyped {

        void pay() {
        }
    }

    @OfOne
    @Locked("class")
    @Unremovable
    @ApplicationScoped
    public static class Right {

        void pay() {
        }

        @One
        void byMethod() {
        }
    }
}
