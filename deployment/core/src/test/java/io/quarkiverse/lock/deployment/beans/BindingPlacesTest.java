package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.inject.Stereotype;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ManagedContext;
import io.quarkus.test.QuarkusUnitTest;

/** The annotation counts wherever it stands: method, class, parent class, stereotype, static method. */
class BindingPlacesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Held.class, OnClass.class, Parent.class, FirstChild.class,
                    SecondChild.class, Exclusive.class, ByStereotype.class, Statics.class, EachRequest.class));

    @Inject
    OnClass onClass;

    @Inject
    FirstChild first;

    @Inject
    SecondChild second;

    @Inject
    ByStereotype byStereotype;

    @Inject
    EachRequest eachRequest;

    @Test
    void classAnnotationLocksItsMethods() {
        assertThat(onClass.plain()).isEqualTo("class");
        assertThat(onClass.own("7")).as("the method's annotation replaces the one of the class").isEqualTo("own-7");
        assertThat(onClass.closed()).as("final").isEqualTo("class");
        assertThat(onClass.arrays(new int[0], new String[0][0])).isEqualTo("class");
    }

    @Test
    void inheritedMethodsAreLocked() {
        assertThat(first.inherited()).isEqualTo("first");
        assertThat(second.inherited()).isEqualTo("second");
        assertThat(first.annotatedInParent("1")).isEqualTo("parent-1");
        assertThat(second.annotatedInParent("2")).isEqualTo("parent-2");
    }

    @Test
    void stereotypeAnnotationLocksItsBeans() {
        assertThat(byStereotype.plain()).isEqualTo("stereotype");
    }

    @Test
    void annotatedStaticMethodIsLocked() {
        assertThat(Statics.of("7")).isEqualTo("static-7");
    }

    @Test
    void requestScopedBeansAreLocked() {
        for (int i = 0; i < 3; i++) {
            ManagedContext request = Arc.container().requestContext();
            request.activate();
            try {
                assertThat(eachRequest.of("x")).isEqualTo("request-x");
            } finally {
                request.terminate();
            }
        }
    }

    static class Held {
        static String name() {
            return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findFirst()
                    .orElse("nothing");
        }
    }

    @ApplicationScoped
    @Locked("class")
    public static class OnClass {

        String plain() {
            return Held.name();
        }

        @Locked("own-{id}")
        String own(String id) {
            return Held.name();
        }

        final String closed() {
            return Held.name();
        }

        String arrays(int[] numbers, String[][] texts) {
            return Held.name();
        }
    }

    public static class Parent {

        String inherited() {
            return Held.name();
        }

        @Locked("parent-{id}")
        String annotatedInParent(String id) {
            return Held.name();
        }
    }

    @ApplicationScoped
    @Locked("first")
    public static class FirstChild extends Parent {
    }

    @ApplicationScoped
    @Locked("second")
    public static class SecondChild extends Parent {
    }

    @Stereotype
    @Locked("stereotype")
    @ApplicationScoped
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Exclusive {
    }

    @Exclusive
    public static class ByStereotype {

        String plain() {
            return Held.name();
        }
    }

    public static class Statics {

        @Locked("static-{id}")
        static String of(String id) {
            return Held.name();
        }
    }

    @RequestScoped
    public static class EachRequest {

        @Locked("request-{id}")
        String of(String id) {
            return Held.name();
        }
    }
}
