package io.quarkiverse.lock.deployment.places;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** An application may have interceptors of its own for {@code @Locked}: there the annotation is a binding. */
class OwnInterceptorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Shop.class, Audit.class, ScopedAudit.class, Calls.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records).isEmpty());

    @Inject
    Shop shop;

    @Inject
    Calls calls;

    @Test
    void fault383_customInterceptorForLockedIsAccepted() {
        assertThat(shop.pay(7)).containsExactly("order-7");
        assertThat(calls.seen).containsExactly("outside: []", "inside: [order-7]");
    }

    @ApplicationScoped
    public static class Shop {

        @Inject
        Calls calls;

        @Locked("order-{id}")
        List<String> pay(int id) {
            return calls.held();
        }
    }

    @ApplicationScoped
    public static class Calls {

        final List<String> seen = new ArrayList<>();

        @Inject
        LockManager locks;

        List<String> held() {
            return locks.held().stream().map(HeldLock::name).toList();
        }
    }

    @Locked
    @Interceptor
    @Priority(1)
    public static class Audit {

        @Inject
        Calls calls;

        @AroundInvoke
        Object tell(InvocationContext call) throws Exception {
            calls.seen.add("outside: " + calls.held());
            return call.proceed();
        }
    }

    @Locked
    @Dependent
    @Interceptor
    @Priority(Interceptor.Priority.APPLICATION)
    public static class ScopedAudit {

        @Inject
        Calls calls;

        @AroundInvoke
        Object tell(InvocationContext call) throws Exception {
            calls.seen.add("inside: " + calls.held());
            return call.proceed();
        }
    }
}
