package io.quarkiverse.lock.deployment.selection;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.runtime.manager.LocalBackendProvider;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkus.arc.DefaultBean;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.Mock;
import io.quarkus.test.QuarkusUnitTest;

/** One of two backends is chosen, a named manager uses another, and an unused one is not a bean. */
class OneOfSeveralBackendsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Red.class, Blue.class, AnotherBlue.class, FakeBackends.class))
            .addBuildChainCustomizer(FakeBackends.offer(Red.class, "red"))
            .addBuildChainCustomizer(FakeBackends.offer(Blue.class, "blue"))
            .overrideConfigKey("quarkus.lock.backend", "blue")
            .overrideConfigKey("quarkus.lock.namespace", "shop")
            .overrideRuntimeConfigKey("quarkus.lock.owner", "node-1")
            .overrideConfigKey("quarkus.lock.managers.\"my.local\".backend", "local");

    @Inject
    LockManager locks;

    @Inject
    @LockManagerName("my.local")
    LockManager local;

    @Inject
    BeanManager beans;

    @Test
    void chosenBackendServesDefaultManager() {
        assertThat(beans.getBeans(LockBackendProvider.class, Any.Literal.INSTANCE))
                .extracting(Bean::getBeanClass)
                .containsExactlyInAnyOrder(Blue.class, AnotherBlue.class, LocalBackendProvider.class);
        assertThat(Blue.createdFor).isEqualTo("shop node-1");
        try (LockHandle onBlue = locks.lock("x").acquire(); LockHandle onLocal = local.lock("x").acquire()) {
            assertThat(onBlue.isValid()).isTrue();
            assertThat(onLocal.isValid()).isTrue();
        }
    }

    /** Does not hide the other backend, though it is an alternative with a priority. */
    @Mock
    @Singleton
    public static class Blue implements LockBackendProvider {

        static String createdFor;

        @Override
        public String name() {
            return "blue";
        }

        @Override
        public LockBackend create(String namespace, String owner) {
            createdFor = namespace + ' ' + owner;
            return new LocalBackend(new LocalStore(new SystemTime()), owner);
        }
    }

    /** Its priority would put it first, but it serves only if there is no other. */
    @DefaultBean
    @Unremovable
    @Priority(Integer.MAX_VALUE)
    @Singleton
    public static class AnotherBlue implements LockBackendProvider {

        @Override
        public String name() {
            return "blue";
        }

        @Override
        public LockBackend create(String namespace, String owner) {
            throw new AssertionError("there is another of this name");
        }
    }

    public static class Red implements LockBackendProvider {

        @Override
        public String name() {
            return "red";
        }

        @Override
        public LockBackend create(String namespace, String owner) {
            throw new AssertionError("not chosen");
        }
    }
}
