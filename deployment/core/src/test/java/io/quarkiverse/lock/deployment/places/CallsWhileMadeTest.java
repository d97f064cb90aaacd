package io.quarkiverse.lock.deployment.places;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.PostConstruct;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;

/** A bean that calls its own locked method takes the lock, once the container has injected it. */
class CallsWhileMadeTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Stock.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Stock stock;

    @Test
    void selfCallsLockFromPostConstructOnwards() {
        assertThat(stock.inConstructor()).isEqualTo("nothing");
        assertThat(stock.inInitializer()).isEqualTo("nothing");
        assertThat(stock.inPostConstruct()).isEqualTo("stock");
        assertThat(stock.count()).isEqualTo("stock");
    }

    @Singleton
    public static class Stock {

        private final String inConstructor = count();
        private String inInitializer;
        private String inPostConstruct;

        @Inject
        void initialize(LockManager locks) {
            inInitializer = count();
        }

        @PostConstruct
        void begin() {
            inPostConstruct = count();
        }

        @Locked("stock")
        String count() {
            return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findAny()
                    .orElse("nothing");
        }

        String inConstructor() {
            return inConstructor;
        }

        String inInitializer() {
            return inInitializer;
        }

        String inPostConstruct() {
            return inPostConstruct;
        }
    }
}
