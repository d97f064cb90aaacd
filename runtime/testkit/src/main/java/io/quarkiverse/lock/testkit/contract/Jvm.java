package io.quarkiverse.lock.testkit.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.LockEngineBuilder;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent;

/** What stands for a JVM in the contract: an engine with a client of the store that is its own. */
public final class Jvm implements AutoCloseable {

    private final LockEngine engine;
    private final LockManager locks;
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    Jvm(LockBackend backend, Consumer<LockEngineBuilder> settings) {
        this(backend, settings, UnaryOperator.identity(), ManagerDefaults.STANDARD);
    }

    /**
     * @param seen what the test sees of the engine's locks
     * @param defaults of its locks
     */
    Jvm(LockBackend backend, Consumer<LockEngineBuilder> settings, UnaryOperator<LockManager> seen, ManagerDefaults defaults) {
        LockEngineBuilder builder = LockEngine.builder(backend).listener(events::add);
        settings.accept(builder);
        engine = builder.start();
        locks = seen.apply(engine.manager(defaults));
    }

    public LockEngine engine() {
        return engine;
    }

    public LockManager locks() {
        return locks;
    }

    /** A lock that waits 10 s and whose lease, of 30 s where the test asks for no other, is renewed. */
    public DistributedLock lock(String name) {
        return locks.lock(name);
    }

    /** A lock whose lease is renewed. */
    public DistributedLock lock(String name, Duration lease) {
        return locks.lock(name, LockOptions.DEFAULTS.withLease(lease).withWaitFor(Duration.ofSeconds(20)));
    }

    /** A lock whose lease ends by itself. */
    public DistributedLock lockWithoutRenewal(String name, Duration lease) {
        return locks.lock(name, LockOptions.DEFAULTS.withLease(lease).withRenew(false));
    }

    /** A lock that is held together with others who share it. */
    public DistributedLock shared(String name) {
        return locks.lock(name, LockOptions.DEFAULTS.withMode(LockMode.SHARED));
    }

    /** A lock that at most so many hold together. */
    public DistributedLock limited(String name, int limit) {
        return locks.lock(name, LockOptions.DEFAULTS.withLimit(limit));
    }

    /** Everything that happened to locks here. */
    public List<LockEvent> events() {
        return List.copyOf(events);
    }

    public long count(LockEvent.Kind kind) {
        return events.stream().filter(event -> event.kind() == kind).count();
    }

    @Override
    public void close() {
        engine.close();
    }
}
