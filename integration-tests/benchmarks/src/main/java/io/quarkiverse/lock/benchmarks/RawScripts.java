package io.quarkiverse.lock.benchmarks;

import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** The backend's scripts on one connection: no engine, no queue, no renewal, no timeout. For names that nobody else wants. */
final class RawScripts implements AsyncPeer {

    static final String RETENTION = "60000";
    static final String LEASE = "30000";

    final RawConnection connection;
    private final AtomicLong claims = new AtomicLong();
    private final String acquireSha;
    private final String releaseSha;

    RawScripts(String url) {
        connection = new RawConnection(url);
        acquireSha = connection.ask(LockScript.ACQUIRE.load()).toString();
        releaseSha = connection.ask(LockScript.RELEASE.load()).toString();
    }

    @Override
    public Mutex mutex(String name) {
        return new Claimed(key(name));
    }

    @Override
    public void cycle(String name, Chain chain) {
        List<String> key = key(name);
        String claim = claim();
        connection.send(acquire(key, claim, LEASE)).onSuccess(reply -> {
            expect("GRANTED", reply);
            chain.held();
            connection.send(release(key, claim)).onSuccess(ignored -> chain.released()).onFailure(chain::failed);
        }).onFailure(chain::failed);
    }

    static List<String> key(String name) {
        return List.of("lock:1:{raw:" + name + "}");
    }

    /** As long as the backend's tokens. */
    String claim() {
        return "0000000000000000" + HexFormat.of().toHexDigits(claims.incrementAndGet());
    }

    Request acquire(List<String> key, String claim, String lease) {
        return acquire(key, claim, lease, "");
    }

    Request acquire(List<String> key, String claim, String lease, String channel) {
        return acquire(key, claim, lease, channel, "X");
    }

    /** @param mode S for reading, X for writing */
    Request acquire(List<String> key, String claim, String lease, String channel, String mode) {
        return LockScript.call(acquireSha, key, RETENTION, "0", claim, mode, "0", channel, lease, "1", "bench");
    }

    Request release(List<String> key, String claim) {
        return LockScript.call(releaseSha, key, RETENTION, "0", claim, "0");
    }

    private static void expect(String status, Response reply) {
        if (!status.equals(reply.get(0).toString())) {
            throw new IllegalStateException(status + " expected, not " + reply);
        }
    }

    @Override
    public void close() {
        connection.close();
    }

    private final class Claimed implements Mutex {

        private final List<String> key;
        private String claim = "";

        Claimed(List<String> key) {
            this.key = key;
        }

        @Override
        public void lock() {
            claim = claim();
            expect("GRANTED", connection.ask(acquire(key, claim, LEASE)));
        }

        @Override
        public void unlock() {
            expect("RELEASED", connection.ask(release(key, claim)));
        }
    }
}
