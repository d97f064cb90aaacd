package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.LockEngineBuilder;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent;

/** Stands for a JVM in the contract: an engine with its own client of the store. */
public final class Jvm implements AutoCloseable {

    /** More pages than any test has names: stops a listing that would loop forever. */
    static final int MOST_PAGES = 100_000;

    private final LockEngine engine;
    private final LockManager locks;
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    Jvm(LockBackend backend, Consumer<LockEngineBuilder> settings) {
        this(backend, settings, UnaryOperator.identity(), ManagerDefaults.STANDARD);
    }

    /**
     * @param seen how the test sees the engine's locks
     * @param defaults the defaults of its locks
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

    /** A lock that waits 10 s. Its lease, 30 s unless the test sets another, is renewed. */
    public DistributedLock lock(String name) {
        return locks.lock(name);
    }

    /** A lock whose lease is renewed. */
    public DistributedLock lock(String name, Duration lease) {
        return locks.lock(name, LockOptions.DEFAULTS.withLease(lease).withWaitFor(Duration.ofSeconds(20)));
    }

    /** A lock whose lease simply expires. */
    public DistributedLock lockWithoutRenewal(String name, Duration lease) {
        return locks.lock(name, LockOptions.DEFAULTS.withLease(lease).withRenew(false));
    }

    /** A lock that is shared with other holders. */
    public DistributedLock shared(String name) {
        return locks.lock(name, LockOptions.DEFAULTS.withMode(LockMode.SHARED));
    }

    /** A lock with at most {@code limit} holders at once. */
    public DistributedLock limited(String name, int limit) {
        return locks.lock(name, LockOptions.DEFAULTS.withLimit(limit));
    }

    /** What all pages list: the first may list nothing where other tests lock many names on the same server. */
    public List<LockInfo> listed(LockQuery query) {
        return pages(query).stream().flatMap(page -> page.locks().stream()).toList();
    }

    List<LockQuery.Page> pages(LockQuery query) {
        List<LockQuery.Page> pages = new ArrayList<>();
        Optional<LockQuery> next = Optional.of(query);
        while (next.isPresent()) {
            LockQuery.Page page = page(next.get());
            pages.add(page);
            next = page.next();
            assertThat(pages).hasSizeLessThan(MOST_PAGES);
        }
        return pages;
    }

    /** A busy machine may be late with a page; it can be requested again. */
    LockQuery.Page page(LockQuery query) {
        long start = System.nanoTime();
        while (true) {
            try {
                return locks.list(query);
            } catch (LockBackendException e) {
                if (System.nanoTime() - start > ContractTest.SOON.toNanos()) {
                    throw e;
                }
            }
        }
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
