package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.interceptor.InterceptorBinding;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;

/** A class's annotation replaces the one that it would inherit from its parents. */
class NearestAnnotationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Parent.class, First.class, Second.class, Third.class, Fourth.class,
                    Middle.class, Grandchild.class, Inheriting.class, Bound.class, BoundParent.class, BoundChild.class,
                    Twice.class, AsParent.class,
                    AsParentToo.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    First first;

    @Inject
    Second second;

    @Inject
    Third third;

    @Inject
    Fourth fourth;

    @Inject
    Grandchild grandchild;

    @Inject
    Inheriting inheriting;

    @Inject
    BoundChild boundChild;

    @Inject
    Twice twice;

    @Test
    void fault176_nearestClassAnnotationWins() {
        assertThat(first.pay()).isEqualTo("first");
        assertThat(second.pay()).isEqualTo("second");
        assertThat(third.pay()).isEqualTo("third");
        assertThat(fourth.pay()).isEqualTo("fourth");
        assertThat(grandchild.pay()).isEqualTo("grandchild");
        assertThat(inheriting.pay()).isEqualTo("middle");
        assertThat(boundChild.pay()).isEqualTo("child");
    }

    @Test
    void identicalAnnotationsCountAsOne() {
        assertThat(twice.pay()).isEqualTo("parent");
    }

    @Locked("parent")
    public static class Parent {

        String pay() {
            return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findFirst()
                    .orElse("nothing");
        }
    }

    @Locked("first")
    @ApplicationScoped
    public static class First extends Parent {
    }

    @Locked("second")
    @ApplicationScoped
    public static class Second extends Parent {
    }

    @Locked("third")
    @ApplicationScoped
    public static class Third extends Parent {
    }

    @Locked("fourth")
    @ApplicationScoped
    public static class Fourth extends Parent {
    }

    @Locked("middle")
    public static class Middle extends Parent {
    }

    @Locked("grandchild")
    @ApplicationScoped
    public static class Grandchild extends Middle {
    }

    @ApplicationScoped
    public static class Inheriting extends Middle {
    }

    @Locked("bound")
    @Inherited
    @InterceptorBinding
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Bound {
    }

    @Locked("child")
    @ApplicationScoped
    public static class BoundChild extends BoundParent {
    }

    @Bound
    public static class BoundParent extends Parent {
    }

    @AsParent
    @AsParentToo
    @ApplicationScoped
    public static class Twice extends Parent {
    }

    @Locked("parent")
    @InterceptorBinding
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface AsParent {
    }

    @Locked("parent")
    @InterceptorBinding
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface AsParentToo {
    }
}
