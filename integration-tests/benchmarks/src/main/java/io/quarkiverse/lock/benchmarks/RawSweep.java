package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.vertx.core.Future;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** The renewal script in batches on one connection; two in flight, so that the server never waits for the client. */
final class RawSweep implements AutoCloseable {

    private static final int BATCH = 500;
    private static final int IN_FLIGHT = 2;

    private final RawScripts scripts;
    private final String sha;
    private final List<Request> batches = new ArrayList<>();

    RawSweep(String url, int count) {
        scripts = new RawScripts(url);
        sha = scripts.connection.ask(LockScript.RENEW.load()).toString();
        for (int from = 0; from < count; from += BATCH) {
            batches.add(take(from, Math.min(count, from + BATCH)));
        }
    }

    private Request take(int from, int to) {
        var keys = new ArrayList<String>();
        var args = new ArrayList<String>(List.of(RawScripts.RETENTION, ""));
        var taken = new ArrayList<Future<Response>>();
        for (int i = from; i < to; i++) {
            List<String> key = RawScripts.key("held-" + i);
            String claim = scripts.claim();
            taken.add(scripts.connection.send(scripts.acquire(key, claim, "3600000")));
            keys.addAll(key);
            args.add(claim);
            args.add("3600000");
        }
        taken.forEach(RawConnection::await);
        return LockScript.call(sha, keys, args.toArray(String[]::new));
    }

    long sweep() {
        var done = new CompletableFuture<Void>();
        long start = System.nanoTime();
        scripts.connection.run(() -> {
            for (int i = 0; i < IN_FLIGHT; i++) {
                next(i, done);
            }
        });
        done.join();
        return System.nanoTime() - start;
    }

    private void next(int batch, CompletableFuture<Void> done) {
        if (batch >= batches.size()) {
            return;
        }
        scripts.connection.send(batches.get(batch)).onFailure(done::completeExceptionally).onSuccess(reply -> {
            for (int i = 0; i < reply.size(); i += 2) { // each is followed by the last ticket
                if (reply.get(i).toInteger() < 0) {
                    done.completeExceptionally(new IllegalStateException("A lock is gone"));
                }
            }
            if (batch == batches.size() - 1) {
                done.complete(null);
            }
            next(batch + IN_FLIGHT, done);
        });
    }

    @Override
    public void close() {
        scripts.close();
    }
}
