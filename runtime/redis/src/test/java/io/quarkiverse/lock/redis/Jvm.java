package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.TestTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** The parts of a JVM: a started link and backend, and what its engine would be told. */
final class Jvm implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(30);

    final RedisConnections link;
    final RedisLockBackend backend;
    final Recorder told = new Recorder();
    final TestTime time = new TestTime();

    Jvm(String url, RedisLockOptions options) {
        this(RedisConnections.to(options, vertx -> Redis.createClient(vertx, new RedisOptions().setConnectionString(url))));
    }

    Jvm(RedisConnections link) {
        this.link = link;
        backend = new RedisLockBackend(link, "test", "jvm " + Integer.toHexString(hashCode()));
        backend.start(told, time);
    }

    /** Waits until messages reach it, when everything is checked for the first time; counts the checks from here on. */
    Jvm listening() {
        Await.until("it listens", Duration.ofSeconds(10), () -> told.rechecks.get() > 0);
        told.rechecks.set(0);
        return this;
    }

    static RedisLockOptions timeout(Duration timeout) {
        return new RedisLockOptions("lock:", timeout, Duration.ofSeconds(60), false, "quarkus.redis.");
    }

    /** A claim on its way. */
    static final class Waiting {
        final Claim claim;
        final CompletableFuture<Answer> answer = new CompletableFuture<>();
        private Cancellable cancellable;

        Waiting(Claim claim) {
            this.claim = claim;
        }

        Grant grant() {
            Answer got = Jvm.get(answer);
            assertThat(got).isInstanceOf(Grant.class);
            return (Grant) got;
        }

        void cancel() {
            cancellable.cancel();
        }
    }

    Waiting claim(String name) {
        return claim(name, true);
    }

    Waiting claim(String name, boolean waits) {
        return claim(name, waits, LEASE);
    }

    Waiting claim(String name, boolean waits, Duration lease) {
        var random = ThreadLocalRandom.current();
        var waiting = new Waiting(new Claim(name, random.nextLong(), random.nextLong(), LockMode.EXCLUSIVE, 0, lease.toNanos(),
                waits));
        waiting.cancellable = backend.acquire(waiting.claim).subscribe().with(waiting.answer::complete,
                waiting.answer::completeExceptionally);
        return waiting;
    }

    /** Answered without waiting for the name. */
    Answer ask(String name) {
        return get(claim(name, false).answer);
    }

    Grant grant(String name) {
        return claim(name, false).grant();
    }

    Renewal renew(Grant... grants) {
        return get(backend.renew(List.of(grants)));
    }

    void release(Grant grant) {
        get(backend.release(grant));
    }

    static <T> T get(Uni<T> uni) {
        return get(uni.subscribeAsCompletionStage());
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
            throw new AssertionError("No answer", e);
        }
    }

    @Override
    public void close() {
        backend.close();
    }
}
