package io.quarkiverse.lock.deployment.places;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;

/** Static methods that are locked by a binding with {@code @Locked}, alone and beside another binding. */
class StaticBindingsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Serial.class, Traced.class, TracedInterceptor.class, Statics.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Test
    void fault307_metaAnnotationLocksStaticMethod() {
        assertThat(Statics.serial("1")).isEqualTo("serial-1");
        assertThat(Statics.both("2")).isEqualTo("traced serial-2");
        assertThat(Statics.both(3)).isEqualTo("traced other-3");
        assertThat(Statics.traced("4")).isEqualTo("traced nothing");
    }

    @InterceptorBinding
    @Locked("serial-{id}")
    @Target({ ElementType.TYPE, ElementType.METHOD })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Serial {
    }

    @InterceptorBinding
    @Target({ ElementType.TYPE, ElementType.METHOD })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Traced {
    }

    @Traced
    @Interceptor
    @Priority(1)
    public static class TracedInterceptor {

        @AroundInvoke
        Object trace(InvocationContext invocation) throws Exception {
            return "traced " + invocation.proceed();
        }
    }

    public static class Statics {

        @Serial
        static String serial(String id) {
            return held();
        }

        @Serial
        @Traced
        static String both(String id) {
            return held();
        }

        @Locked("other-{id}")
        @Traced
        static String both(int id) {
            return held();
        }

        @Traced
        static String traced(String id) {
            return held();
        }

        private static String held() {
            return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findFirst()
                    .orElse("nothing");
        }
    }
}
