package io.quarkiverse.lock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Instance;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.runtime.manager.LocalBackendProvider;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.spi.LockTime;

/** With another backend besides {@code local}, an application has locks that the other node cannot reach. */
class LocksElsewhereTest {

    private final MovableTime time = new MovableTime();
    private final OtherNode other = new OtherNode(instance(local(time)), OtherNodeTest.configured(Map.of()), time);
    private final LockEngine elsewhere = LockEngine.builder(local(time).create("", "application")).time(time).start();
    private final LockManager manager = elsewhere.manager(ManagerDefaults.STANDARD);
    private final TestLocks locks = new TestLocks(other, time, instance(manager), new LockEngines());

    @AfterEach
    void stop() {
        elsewhere.close();
        other.stop();
        time.stop();
    }

    @Test
    void locksElsewhereCannotBeLost() {
        try (LockHandle hold = manager.lock("order-1").acquire()) {
            locks.assertHeld("order-1");
            assertThatThrownBy(() -> locks.lose("order-1")).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("'order-1' cannot be lost").hasMessageContaining("'local'");
            assertThat(hold.isValid()).isTrue();
        }
    }

    static LocalBackendProvider local(LockTime time) {
        return new LocalBackendProvider(instance(time));
    }

    @SuppressWarnings("unchecked")
    static <T> Instance<T> instance(T only) {
        return (Instance<T>) Proxy.newProxyInstance(Instance.class.getClassLoader(), new Class<?>[] { Instance.class },
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "isResolvable" -> true;
                    case "get" -> only;
                    case "stream" -> Stream.of(only);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
