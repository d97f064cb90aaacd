package io.quarkiverse.lock.deployment.places;

import static io.quarkiverse.lock.deployment.BuildProblems.put;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.test.QuarkusUnitTest;

/** On a method of an interface the annotation locks nothing, unless the bean's method has it too. */
class InterfaceMethodsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Payments.class, PaymentBean.class, Generic.class, GenericBean.class,
                    Defaults.class, DefaultsBean.class, WholeInterface.class, WholeBean.class, Refunds.class,
                    RefundBean.class, Unimplemented.class, Shared.class, LockedShared.class, PlainShared.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Payments.class, "pay", "has no effect in bean " + PaymentBean.class.getName(),
                        put(PaymentBean.class, "pay", "implements"));
                problems.has(Generic.class, "run", put(GenericBean.class, "run", "implements"));
                problems.has(Defaults.class, "inherited", "default methods are not intercepted",
                        "put it on a method of this name in " + DefaultsBean.class.getName());
                problems.has(Defaults.class, "implemented", put(DefaultsBean.class, "implemented", "implements"));
                problems.hasClass(WholeInterface.class, "has no effect in bean " + WholeBean.class.getName(),
                        "put it on that class");
                problems.has(Unimplemented.class, "nobody", "no bean implements this interface");
                problems.has(Shared.class, "run", put(PlainShared.class, "run", "implements"));
                problems.nothingOf(Refunds.class, RefundBean.class, LockedShared.class, GenericBean.class);
            });

    @Test
    void fault131_interfaceMethodsLockNothing() {
        Assertions.fail();
    }

    public interface Payments {

        @Locked("pay-{id}")
        void pay(String id);
    }

    @ApplicationScoped
    public static class PaymentBean implements Payments {

        @Override
        public void pay(String id) {
        }
    }

    public interface Generic<T> {

        @Locked
        void run(T what);
    }

    @ApplicationScoped
    public static class GenericBean implements Generic<String> {

        @Override
        public void run(String what) {
        }

        @Locked
        public void run(Integer other) {
        }
    }

    public interface Defaults {

        @Locked
        default void inherited() {
        }

        @Locked
        default void implemented() {
        }
    }

    @ApplicationScoped
    public static class DefaultsBean implements Defaults {

        @Override
        public void implemented() {
        }
    }

    @Locked
    public interface WholeInterface {

        void one();

        default void two() {
        }
    }

    @ApplicationScoped
    public static class WholeBean implements WholeInterface {

        @Override
        public void one() {
        }
    }

    public interface Refunds {

        @Locked
        void refund(String id);

        @Locked
        default void later() {
        }
    }

    @ApplicationScoped
    @Locked
    public static class RefundBean implements Refunds {

        @Override
        @Locked("refund-{id}")
        public void refund(String id) {
        }
    }

    public interface Unimplemented {

        @Locked
        void nobody();
    }

    public interface Shared {

        @Locked
        void run();
    }

    @ApplicationScoped
    public static class LockedShared implements Shared {

        @Override
        @Locked
        public void run() {
        }
    }

    @ApplicationScoped
    public static class PlainShared implements Shared {

        @Override
        public void run() {
        }
    }
}
