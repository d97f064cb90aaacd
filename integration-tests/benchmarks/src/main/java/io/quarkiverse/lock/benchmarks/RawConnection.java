package io.quarkiverse.lock.benchmarks;

import java.util.concurrent.TimeUnit;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** One connection on one event loop, with nothing on top: the best that any client of this driver can achieve. */
final class RawConnection implements AutoCloseable {

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1)
            .setInternalBlockingPoolSize(2).setUseDaemonThread(true));
    private final Context loop = ((VertxInternal) vertx).createEventLoopContext();
    private final RedisConnection connection;

    RawConnection(String url) {
        var options = new RedisOptions().setConnectionString(url).setMaxWaitingHandlers(100_000);
        connection = await(Future.<RedisConnection> future(done -> loop.runOnContext(
                ignored -> Redis.createClient(vertx, options).connect().onComplete(done))));
    }

    /** May be called from any thread; the future completes on the loop. */
    Future<Response> send(Request request) {
        return connection.send(request);
    }

    /** Runs the task on the loop. */
    void run(Runnable task) {
        loop.runOnContext(ignored -> task.run());
    }

    Response ask(Request request) {
        return await(send(request));
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        await(vertx.close());
    }
}
