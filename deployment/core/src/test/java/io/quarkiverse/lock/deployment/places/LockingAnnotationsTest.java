package io.quarkiverse.lock.deployment.places;

import static io.quarkiverse.lock.deployment.BuildProblems.put;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.Vetoed;
import jakarta.interceptor.InterceptorBinding;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.test.QuarkusUnitTest;

/** An annotation that is annotated with {@code @Locked} locks nothing wherever {@code @Locked} itself would not. */
class LockingAnnotationsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Kind.class, Binding.class, Deep.class, Family.class, Bean.class,
                    Begun.class, NoBean.class, OnInterface.class, Implementation.class, Parent.class, Child.class,
                    DeepInterface.class, DeepImplementation.class, Lonely.class, LeftOut.class, Ancestor.class,
                    Heir.class, Plain.class, PlainChild.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Begun.class, "begin", "a method that the container calls");
                problems.has(NoBean.class, "run", "the class is not a bean");
                problems.has(OnInterface.class, "run", put(Implementation.class, "run", "implements"));
                problems.hasClass(DeepInterface.class, "in bean " + DeepImplementation.class.getName());
                problems.hasClass(Parent.class, "not inherited", "put that on the class of a bean");
                problems.hasClass(Lonely.class, "no bean extends this class");
                problems.nothingOf(Bean.class, Child.class, LeftOut.class, Ancestor.class, Heir.class, Plain.class,
                        PlainChild.class);
            });

    @Test
    void fault168_metaAnnotationsAreCheckedLikeLocked() {
        Assertions.fail();
    }

    @Locked
    @Stereotype
    @ApplicationScoped
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Kind {
    }

    @Locked("{id}")
    @InterceptorBinding
    @Target({ ElementType.TYPE, ElementType.METHOD })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Binding {
    }

    @Kind
    @Stereotype
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Deep {
    }

    @Locked
    @Stereotype
    @Inherited
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Family {
    }

    @Deep
    public static class Bean {

        @Binding
        void run(String id) {
        }

        void other() {
        }
    }

    @ApplicationScoped
    public static class Begun {

        @Binding
        @PostConstruct
        void begin() {
        }
    }

    public static class NoBean {

        @Binding
        void run(String id) {
        }
    }

    public interface OnInterface {

        @Binding
        void run(String id);
    }

    @ApplicationScoped
    public static class Implementation implements OnInterface {

        @Override
        public void run(String id) {
        }
    }

    @Deep
    public interface DeepInterface {

        void run();
    }

    @ApplicationScoped
    public static class DeepImplementation implements DeepInterface {

        @Override
        public void run() {
        }
    }

    @Kind
    public abstract static class Parent {

        void run() {
        }
    }

    @ApplicationScoped
    public static class Child extends Parent {
    }

    @Kind
    public abstract static class Lonely {

        void run() {
        }
    }

    @Kind
    @Vetoed
    public static class LeftOut {

        void run() {
        }
    }

    @Family
    public abstract static class Ancestor {

        void run() {
        }
    }

    @ApplicationScoped
    public static class Heir extends Ancestor {
    }

    @Kind
    public static class Plain {

        void run() {
        }
    }

    @ApplicationScoped
    public static class PlainChild extends Plain {
    }
}
