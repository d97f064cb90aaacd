package io.quarkiverse.lock.testkit.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.FirstContact;
import io.quarkiverse.lock.testkit.process.ChildMain;
import io.smallrye.mutiny.Uni;

/**
 * The other side of a {@link RemoteJvm}: takes locks, keeps them by name and releases them, one request per word. On SIGTERM it
 * does what an application does: refuses new claims, sends waiters away, releases what is free, and ends.
 */
public final class LockingChild implements ChildMain {

    private static final Duration SHUTDOWN = Duration.ofSeconds(10);
    private static final Duration CONNECT = Duration.ofSeconds(20);
    private static final int CALLERS = 4;

    private final Map<String, LockHandle> holds = new ConcurrentHashMap<>();
    private final AtomicInteger granted = new AtomicInteger();
    /** Requests that have not been answered. */
    private final Phaser busy = new Phaser(1);
    private @Nullable LockEngine engine;
    private @Nullable LockManager locks;
    private @Nullable LiveObjects counted;

    @Override
    public void start(String[] arguments, Child child) throws Exception {
        // Loads its plug-ins at first use, which is not safe when two threads do it at once
        Uni.createFrom().item(() -> true).await().indefinitely();
        var factory = (ChildBackend) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        List<String> rest = Arrays.asList(arguments).subList(2, arguments.length);
        engine = LockEngine.builder(factory.backend(arguments[1], rest)).start();
        locks = engine.manager(ManagerDefaults.STANDARD);
        FirstContact.await(locks, CONNECT);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> shutDown(child), "shutdown"));
    }

    private void shutDown(Child child) {
        holds.values().forEach(LockHandle::release);
        engine.drain(SHUTDOWN);
        engine.close();
        child.event("closed");
        try {
            // Waiters have been refused, and should report that before the end
            busy.awaitAdvanceInterruptibly(busy.arriveAndDeregister(), 10, TimeUnit.SECONDS);
        } catch (InterruptedException | TimeoutException e) {
            child.event("did not answer all");
        }
    }

    /** {@code verb millis millis name}: the numbers are the lease and the wait, where the verb has them. */
    @Override
    public String handle(String request, Child child) throws Exception {
        busy.register();
        try {
            return answer(request, child);
        } finally {
            busy.arriveAndDeregister();
        }
    }

    private String answer(String request, Child child) throws Exception {
        String[] words = request.split(" ", 4);
        Duration first = Duration.ofMillis(Long.parseLong(words[1]));
        Duration second = Duration.ofMillis(Long.parseLong(words[2]));
        String name = words[3];
        return switch (words[0]) {
            case "acquire" -> acquire(name, first, second, child);
            case "release" -> {
                holds.remove(name).release().await().indefinitely();
                yield "";
            }
            case "valid" -> "" + holds.get(name).isValid();
            case "write" -> holds.get(name).isValid() + " " + holds.get(name).fencingToken();
            case "extend" -> {
                holds.get(name).extend(first);
                yield "";
            }
            case "wait" -> waitForMany(name, (int) first.toMillis(), second);
            case "granted" -> "" + granted.get();
            case "held" -> "" + locks.held().size();
            case "use" -> useMany(name, (int) first.toMillis());
            case "count" -> {
                counted = LiveObjects.now();
                counted = LiveObjects.now(); // so that the leftovers of counting are counted
                yield "";
            }
            case "grown" -> LiveObjects.now().grown(counted, first.toMillis()).toString();
            default -> throw new IllegalArgumentException(request);
        };
    }

    private String acquire(String name, Duration lease, Duration wait, Child child) {
        LockHandle hold;
        try {
            hold = locks.lock(name, LockOptions.DEFAULTS.withLease(lease).withWaitFor(wait)).acquire();
        } catch (RuntimeException e) {
            child.event("refused " + e.getMessage()); // an answer may no longer reach the parent
            throw e;
        }
        hold.onLost(() -> child.event("lost " + name));
        holds.put(name, hold);
        return "" + hold.fencingToken();
    }

    /** Begins to wait for {@code count} names, each of which is released at once when it is granted. */
    private String waitForMany(String prefix, int count, Duration wait) {
        for (int i = 0; i < count; i++) {
            locks.lock(prefix + i, LockOptions.DEFAULTS.withWaitFor(wait)).acquireAsync()
                    .invoke(hold -> granted.incrementAndGet())
                    .chain(LockHandle::release)
                    .subscribe().with(ignored -> {
                    }, failure -> {
                    });
        }
        return "";
    }

    /** Several at a time, in every way that a caller can use a lock. */
    private String useMany(String prefix, int count) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Callable<Void>> all = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int caller = i;
                all.add(() -> {
                    for (int each = caller; each < count; each += CALLERS) {
                        use(prefix + each, each / CALLERS);
                    }
                    return null;
                });
            }
            for (var each : callers.invokeAll(all)) {
                each.get();
            }
        } finally {
            callers.shutdown();
        }
        return "";
    }

    private void use(String name, int way) throws Exception {
        DistributedLock lock = locks.lock(name);
        switch (way % 6) {
            case 0 -> lock.call(() -> way);
            case 1 -> lock.callAsync(() -> Uni.createFrom().item(way)).await().indefinitely();
            case 2 -> lock.tryAcquire(Duration.ZERO).orElseThrow().close();
            case 3 -> {
                try (LockHandle hold = lock.acquire()) {
                    hold.onLost(() -> {
                        throw new IllegalStateException("Nobody takes it away");
                    });
                }
            }
            case 4 -> {
                CompletableFuture<LockHandle> next;
                try (LockHandle hold = lock.acquire()) {
                    next = lock.acquireAsync().subscribeAsCompletionStage();
                }
                next.get().close();
            }
            default -> {
                try (LockHandle hold = lock.acquire()) {
                    lock.tryAcquireAsync(Duration.ofMillis(1)).await().indefinitely().ifPresent(LockHandle::close);
                }
            }
        }
    }
}
