package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockBackend;

/** An error thrown by a backend, such as a missing class or too little memory, counts as a missing answer. */
class BackendErrorsTest {

    private static final Error ERROR = new InternalError("on purpose");

    /** The method of the backend whose first call fails. */
    private String failing;
    private int calls;
    private final VirtualTime time = new VirtualTime();
    private final LocalBackend store = new LocalBackend(new LocalStore(time));
    private final LockEngine engine = engine((InMemoryBackend) Proxy.newProxyInstance(BackendErrorsTest.class.getClassLoader(),
            new Class<?>[] { InMemoryBackend.class }, (proxy, method, arguments) -> {
                if (method.getName().equals(failing)) {
                    calls++;
                    if (calls == 1) {
                        throw ERROR;
                    }
                }
                return method.invoke(store, arguments);
            }));
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    private LockEngine engine(LockBackend backend) {
        return LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run)).start();
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void fault429_renewalIsRetriedSoonAfterError() {
        failing = "renew";
        LockHandle hold = locks.lock("a", LockOptions.DEFAULTS.withLease(Duration.ofSeconds(30))).acquire();
        time.advance(Duration.ofSeconds(10));
        assertThat(calls).isEqualTo(1);
        time.advance(Duration.ofMillis(2_500));
        assertThat(calls).as("a twelfth of the lease later").isEqualTo(2);
        hold.close();
    }

    @Test
    void fault429_downgradeIsRetriedAfterError() {
        failing = "downgrade";
        LockHandle hold = locks.lock("a").acquire();
        assertThatThrownBy(hold::downgrade).isInstanceOf(LockBackendException.class).hasRootCause(ERROR);
        time.advance(Duration.ofSeconds(1));
        assertThat(calls).isEqualTo(2);
        assertThat(locks.inspect("a").orElseThrow().holders()).singleElement()
                .satisfies(holder -> assertThat(holder.mode()).isEqualTo(LockMode.SHARED));
        hold.close();
    }

    /** It is unknown whether it was shortened. */
    @Test
    void fault447_idleGrantIsReleasedWhenShorteningFails() {
        failing = "shortenIdle";
        Duration linger = Duration.ofSeconds(1);
        engine.manager(new ManagerDefaults("lingering", linger, Duration.ofSeconds(30), true, null, OnLost.FAIL, linger))
                .lock("a").acquire().close();
        assertThat(locks.inspect("a")).as("kept").isPresent();
        time.advance(linger.dividedBy(2));
        assertThat(calls).isEqualTo(1);
        assertThat(locks.inspect("a")).isEmpty();
    }

    @Test
    void fault429_failedJointClaimFallsBackToSingleClaims() {
        AnsweringBackend answering = new AnsweringBackend();
        answering.together = true;
        answering.whenAskedTogether = () -> {
            throw ERROR;
        };
        answering.whenAsked = answering::grant;
        LockEngine other = engine(answering);
        try (LockHandle both = other.manager(ManagerDefaults.STANDARD).all("a", "b").acquire()) {
            assertThat(both.isValid()).isTrue();
        }
        assertThat(answering.asked).hasSize(2);
        answering.whenAskedTogether = answering::grantTogether;
        other.manager(ManagerDefaults.STANDARD).all("a", "b").acquire().close();
        assertThat(answering.askedTogether).as("the names are idle, so one step can claim them").hasSize(2);
        assertThat(answering.asked).hasSize(2);
        other.close();
    }
}
