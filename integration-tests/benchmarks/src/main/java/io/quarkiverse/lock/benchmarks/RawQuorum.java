package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.vertx.core.Future;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** The scripts of a quorum on one connection to each server: both phases, and the release. For names that nobody else wants. */
final class RawQuorum implements Peer {

    private final List<RawConnection> connections;
    private final int majority;
    private final AtomicLong claims = new AtomicLong();
    private final String askSha;
    private final String writeSha;
    private final String freeSha;

    RawQuorum(String url) {
        connections = QuorumProcess.urls(url).stream().map(RawConnection::new).toList();
        majority = connections.size() / 2 + 1;
        askSha = load(LockScript.QUORUM_ASK);
        writeSha = load(LockScript.QUORUM_WRITE);
        freeSha = load(LockScript.QUORUM_FREE);
    }

    private String load(LockScript script) {
        return connections.stream().map(each -> each.ask(script.load()).toString()).toList().get(0);
    }

    @Override
    public Mutex mutex(String name) {
        return new Claimed("lock:q1:{raw:" + name + "}");
    }

    /** @return the replies of a majority, reduced to the highest */
    private long ask(Request request) {
        var highest = new AtomicLong();
        var open = new AtomicInteger(majority);
        var done = new CompletableFuture<Void>();
        for (RawConnection each : connections) {
            Future<Response> reply = each.send(request);
            reply.onSuccess(response -> {
                highest.accumulateAndGet(number(response), Math::max);
                if (open.decrementAndGet() == 0) {
                    done.complete(null);
                }
            }).onFailure(done::completeExceptionally);
        }
        done.join();
        return highest.get();
    }

    private static long number(Response reply) {
        if (reply.type() != ResponseType.MULTI) {
            return reply.toLong();
        }
        if (!reply.get(0).toString().equals("YES")) {
            throw new IllegalStateException("YES expected, not " + reply);
        }
        return Long.parseLong(reply.get(1).toString());
    }

    @Override
    public void close() {
        connections.forEach(RawConnection::close);
    }

    private final class Claimed implements Mutex {

        private final List<String> keys;
        private String claim = "";

        Claimed(String key) {
            this.keys = List.of(key, key + ":w");
        }

        private List<String> and(String... others) {
            var all = new ArrayList<>(keys);
            all.addAll(List.of(others));
            return all;
        }

        @Override
        public void lock() {
            claim = "0000000000000000" + HexFormat.of().toHexDigits(claims.incrementAndGet());
            long highest = ask(LockScript.call(askSha, and(keys.get(0) + ":" + claim, "lock:q1:life"), RawScripts.RETENTION,
                    "30000", claim, "1", RawScripts.LEASE, "1", "channel", "1", "bench"));
            if (ask(LockScript.call(writeSha, keys, RawScripts.RETENTION, claim, "1", String.valueOf(highest + 1))) != 1) {
                throw new IllegalStateException("Not written");
            }
        }

        @Override
        public void unlock() {
            if (ask(LockScript.call(freeSha, and(keys.get(0) + ":" + claim), RawScripts.RETENTION, claim, "1", "0", "channel",
                    "", "0")) != 1) {
                throw new IllegalStateException("Not released");
            }
        }
    }
}
