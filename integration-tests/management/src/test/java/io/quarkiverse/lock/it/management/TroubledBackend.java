package io.quarkiverse.lock.it.management;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.smallrye.mutiny.Uni;

/** Answers operators as the test wants. */
@ApplicationScoped
public class TroubledBackend implements LockBackendProvider {

    static final AtomicReference<Supplier<Uni<?>>> ANSWER = new AtomicReference<>();
    static final AtomicReference<Set<Feature>> FEATURES = new AtomicReference<>(EnumSet.allOf(Feature.class));

    @Override
    public String name() {
        return "troubled";
    }

    @Override
    public LockBackend create(String namespace, String owner) {
        LockBackend well = new LocalBackend(new LocalStore(new SystemTime()), owner);
        return (LockBackend) Proxy.newProxyInstance(LockBackend.class.getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "name" -> name();
                    case "operationTimeout" -> Duration.ofMillis(1);
                    case "features" -> FEATURES.get();
                    case "list", "inspect", "forceRelease", "requestRelease" -> ANSWER.get().get();
                    default -> {
                        try {
                            yield method.invoke(well, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                });
    }
}
