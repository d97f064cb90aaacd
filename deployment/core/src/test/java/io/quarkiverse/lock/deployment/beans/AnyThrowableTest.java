package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** A method may throw a {@code Throwable} that is neither an exception nor an error. */
class AnyThrowableTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Throwing.class, Neither.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Throwing throwing;

    @Inject
    LockManager locks;

    @Test
    void fault160_anyThrowableReleasesTheLock() {
        assertThatThrownBy(throwing::one).isInstanceOf(Neither.class);
        assertThat(locks.held()).isEmpty();
        assertThatThrownBy(throwing::several).isInstanceOf(Neither.class);
        assertThat(locks.held()).isEmpty();
    }

    static class Neither extends Throwable {
    }

    @ApplicationScoped
    public static class Throwing {

        @Locked("one")
        void one() throws Throwable {
            throw new Neither();
        }

        @Locked({ "one", "other" })
        void several() throws Throwable {
            throw new Neither();
        }
    }
}
