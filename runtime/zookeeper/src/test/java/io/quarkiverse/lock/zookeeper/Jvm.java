package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.TestTime;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;
import io.quarkiverse.lock.zookeeper.query.Listing;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** The parts of a JVM: a client and a started backend, and a record of what its engine would hear. */
final class Jvm implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(30);

    final CuratorFramework client;
    final ZooKeeperLockBackend backend;
    final Recorder told = new Recorder();
    final TestTime time = new TestTime();

    Jvm(String connectString, Duration session, ZooKeeperLockOptions options) {
        this(Clients.started(connectString, session), options);
    }

    private Jvm(CuratorFramework client, ZooKeeperLockOptions options) {
        this(client, options, client::close);
    }

    Jvm(CuratorFramework client, ZooKeeperLockOptions options, Runnable atEnd) {
        this(client, options, atEnd, other -> {
        });
    }

    /** @param login authenticates the clients that are not Curator's */
    Jvm(CuratorFramework client, ZooKeeperLockOptions options, Runnable atEnd, Consumer<ZooKeeper> login) {
        this.client = client;
        backend = new ZooKeeperLockBackend(client, options, "jvm " + Integer.toHexString(hashCode()), atEnd, login,
                Listing.MOST_NAMES);
        backend.start(told, time);
    }

    /** A claim in progress. Like the engine, it hears of a grant that arrives just before it gives up. */
    static class Waiting implements UniSubscriber<Answer> {
        final Claim claim;
        final CompletableFuture<Answer> answer = new CompletableFuture<>();
        private volatile UniSubscription cancellable;

        Waiting(Claim claim) {
            this.claim = claim;
        }

        @Override
        public Context context() {
            return Context.empty();
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            cancellable = subscription;
        }

        @Override
        public void onItem(Answer item) {
            answer.complete(item);
        }

        @Override
        public void onFailure(Throwable failure) {
            answer.completeExceptionally(failure);
        }

        ZooKeeperGrant grant() {
            Answer got = Jvm.get(answer);
            assertThat(got).isInstanceOf(Grant.class);
            return (ZooKeeperGrant) got;
        }

        void cancel() {
            cancellable.cancel();
        }
    }

    Waiting claim(String name) {
        return claim(name, LockMode.EXCLUSIVE, true);
    }

    Waiting claim(String name, LockMode mode, boolean waits) {
        return claim(newClaim(name, mode, waits));
    }

    static Claim newClaim(String name, LockMode mode, boolean waits) {
        return newClaim(name, mode, 0, waits);
    }

    static Claim newClaim(String name, LockMode mode, int limit, boolean waits) {
        var random = ThreadLocalRandom.current();
        // never looks like a token of a recipe's
        return new Claim(name, random.nextLong(), random.nextLong(Long.MAX_VALUE), mode, limit, LEASE.toNanos(), waits);
    }

    /** As one of at most this many holders. */
    Waiting counted(String name, int limit) {
        return claim(newClaim(name, LockMode.EXCLUSIVE, limit, true));
    }

    Waiting claim(Claim claim) {
        var waiting = new Waiting(claim);
        backend.acquire(claim).subscribe().withSubscriber(waiting);
        return waiting;
    }

    /** Gets an answer without waiting for the name. */
    Answer ask(String name) {
        return get(claim(name, LockMode.EXCLUSIVE, false).answer);
    }

    ZooKeeperGrant grant(String name) {
        return claim(name).grant();
    }

    Renewal renew(Grant... grants) {
        return get(backend.renew(List.of(grants)));
    }

    void release(Grant grant) {
        get(backend.release(grant));
    }

    ZooKeeper zk() {
        try {
            return client.getZookeeperClient().getZooKeeper();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static <T> T get(Uni<T> uni) {
        return get(uni.subscribeAsCompletionStage());
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("No answer", e);
        }
    }

    @Override
    public void close() {
        backend.close();
    }
}
