package io.quarkiverse.lock.deployment.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.transactions.Watched.End;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.UniEmitter;

/** Two threads subscribe to the {@code Uni} of one call at once: each subscription has its own lock and transaction. */
class SubscribedAtOnceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Readings.class, Halting.class, Halts.class, Watched.class,
                    Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Readings readings;

    @Test
    void fault305_cancellationRollsBackOnlyItsOwnTransaction() throws Exception {
        Body ofFirst = new Body();
        Body ofSecond = new Body();
        CompletableFuture<String> result = new CompletableFuture<>();
        CompletableFuture<Void> firstIsIn = new CompletableFuture<>();
        CompletableFuture<Void> secondIsThrough = new CompletableFuture<>();
        CompletableFuture<Thread> firstThread = new CompletableFuture<>();
        Uni<String> read = readings.read(() -> (firstThread.getNow(null) == Thread.currentThread() ? ofFirst : ofSecond).get());
        Thread first = new Thread(() -> read.subscribe().with(result::complete, result::completeExceptionally));
        firstThread.complete(first);
        Halts.inBetween = () -> {
            if (Thread.currentThread() == first) {
                firstIsIn.complete(null);
                get(secondIsThrough);
            }
        };
        first.start();
        get(firstIsIn);
        Cancellable second = read.subscribe().with(item -> {
        });
        get(ofSecond.emitter);
        secondIsThrough.complete(null);
        UniEmitter<? super String> emitter = get(ofFirst.emitter);
        second.cancel();
        assertThat(get(ofFirst.watched).ended()).as("the other one continues").isFalse();
        assertThat(get(ofSecond.watched).end()).isEqualTo(End.ROLLED_BACK_WHILE_HELD);
        emitter.complete("read");
        assertThat(get(result)).isEqualTo("read");
        assertThat(get(ofFirst.watched).end()).isEqualTo(End.COMMITTED_WHILE_HELD);
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** A body that ends on demand. */
    private static final class Body implements Supplier<Uni<String>> {

        private final CompletableFuture<Watched> watched = new CompletableFuture<>();
        private final CompletableFuture<UniEmitter<? super String>> emitter = new CompletableFuture<>();

        @Override
        public Uni<String> get() {
            watched.complete(Watched.transaction("stock"));
            return Uni.createFrom().<String> emitter(emitter::complete);
        }
    }

    @ApplicationScoped
    public static class Readings {

        @Locked(value = "stock", mode = LockMode.SHARED)
        @Halting
        @Transactional
        Uni<String> read(Supplier<Uni<String>> body) {
            return body.get();
        }
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Halting {
    }

    /** Between the lock and the transaction. */
    @Halting
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 170)
    public static class Halts {

        static volatile Runnable inBetween = () -> {
        };

        @AroundInvoke
        Object around(InvocationContext invocation) throws Exception {
            inBetween.run();
            return invocation.proceed();
        }
    }
}
