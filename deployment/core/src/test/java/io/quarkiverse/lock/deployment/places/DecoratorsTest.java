package io.quarkiverse.lock.deployment.places;

import jakarta.annotation.Priority;
import jakarta.decorator.Decorator;
import jakarta.decorator.Delegate;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.test.QuarkusUnitTest;

/** The container intercepts neither decorators nor interceptors, whatever their scope. */
class DecoratorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Shop.class, RealShop.class, Discount.class, Scoped.class, Whole.class,
                    Timing.class, ScopedTiming.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                String decorator = "a decorator is not intercepted; put it on the method of the bean that it decorates";
                problems.has(Discount.class, "pay", decorator);
                problems.has(Discount.class, "hidden", decorator);
                problems.has(Scoped.class, "pay", decorator);
                problems.hasClass(Whole.class, decorator);
                String interceptor = "an interceptor is not intercepted itself; put it on the method of a bean";
                problems.has(Timing.class, "time", interceptor);
                problems.has(Timing.class, "log", interceptor);
                problems.has(ScopedTiming.class, "log", interceptor);
                problems.nothingOf(RealShop.class);
            });

    @Test
    void fault383_decoratorsAndInterceptorsAreNotLocked() {
        Assertions.fail();
    }

    public interface Shop {

        void pay();
    }

    @ApplicationScoped
    public static class RealShop implements Shop {

        @Override
        @Locked
        public void pay() {
        }
    }

    @Decorator
    @Priority(1)
    public static class Discount implements Shop {

        @Inject
        @Delegate
        Shop shop;

        @Override
        @Locked
        public void pay() {
            hidden();
        }

        @Locked
        private void hidden() {
            shop.pay();
        }

        @Locked
        static void fine() {
        }
    }

    @Dependent
    @Decorator
    @Priority(2)
    public static class Scoped implements Shop {

        @Inject
        @Delegate
        Shop shop;

        @Override
        @Locked
        public void pay() {
            shop.pay();
        }
    }

    @Locked
    @Decorator
    @Priority(3)
    public abstract static class Whole implements Shop {

        @Inject
        @Delegate
        Shop shop;

        @Override
        public void pay() {
            shop.pay();
        }
    }

    @Transactional
    @Interceptor
    @Priority(1)
    public static class Timing {

        @Locked
        @AroundInvoke
        Object time(InvocationContext call) throws Exception {
            log();
            return call.proceed();
        }

        @Locked
        void log() {
        }
    }

    @Transactional
    @Interceptor
    @Dependent
    @Priority(2)
    public static class ScopedTiming {

        @AroundInvoke
        Object time(InvocationContext call) throws Exception {
            log();
            return call.proceed();
        }

        @Locked
        void log() {
        }
    }
}
