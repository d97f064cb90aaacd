package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ClientProxy;
import io.quarkus.test.QuarkusUnitTest;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.dynamic.scaffold.subclass.ConstructorStrategy;
import sun.reflect.ReflectionFactory;

/** Mockito spies on a bean with a subclass of the one that the container made. */
class SpiedBeanTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Service.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Service service;

    @Test
    void fault165_spiesLockLikeTheirBean() throws Exception {
        assertThat(service.pay("1")).isEqualTo("pay-1");
        Service spy = (Service) spy(ClientProxy.unwrap(service));
        assertThat(spy.pay("2")).isEqualTo("pay-2");
    }

    /** Like Mockito: an instance of a subclass, with the fields of the original. */
    private static Object spy(Object original) throws Exception {
        Class<?> type = new ByteBuddy().subclass(original.getClass(), ConstructorStrategy.Default.NO_CONSTRUCTORS).make()
                .load(original.getClass().getClassLoader(), ClassLoadingStrategy.Default.WRAPPER).getLoaded();
        Constructor<?> constructor = ReflectionFactory.getReflectionFactory().newConstructorForSerialization(type,
                Object.class.getConstructor());
        Object spy = constructor.newInstance();
        for (Class<?> each = original.getClass(); each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    field.set(spy, field.get(original));
                }
            }
        }
        return spy;
    }

    @ApplicationScoped
    public static class Service {

        @Locked("pay-{id}")
        public String pay(String id) {
            return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findFirst()
                    .orElse("nothing");
        }
    }
}
