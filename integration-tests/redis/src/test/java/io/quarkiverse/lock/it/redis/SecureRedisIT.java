package io.quarkiverse.lock.it.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.Node;
import io.quarkiverse.lock.testkit.server.FreePort;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.SelfSigned;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.restassured.path.json.JsonPath;

/** The packaged application over TLS, as a user with exactly the permissions that locks need according to the guide. */
class SecureRedisIT {

    private static final String RIGHTS = "resetchannels ~lock:* &lock:* +hello +ping +client|setname +eval +evalsha +time "
            + "+hlen +hget +hmget +hgetall +hset +hdel +pexpireat +scan +publish +subscribe +info";

    private static final SelfSigned FILES = SelfSigned.make();
    private static RedisServer redis;
    private static Node node;

    @BeforeAll
    static void start() throws Exception {
        int port = FreePort.find();
        redis = RedisServer.start("tls-port " + port, "tls-auth-clients no", "tls-cert-file " + FILES.certificate(),
                "tls-key-file " + FILES.key(), "tls-ca-cert-file " + FILES.certificate(),
                "user locks on >s3cret " + RIGHTS);
        node = new Node("secure", "/orders/most-at-once", Map.of(
                "quarkus.redis.hosts", "rediss://locks:s3cret@localhost:" + port,
                "quarkus.redis.tls-configuration-name", "redis",
                "quarkus.tls.redis.hostname-verification-algorithm", "HTTPS",
                "quarkus.tls.redis.trust-store.p12.path", FILES.trustStore().toString(),
                "quarkus.tls.redis.trust-store.p12.password", SelfSigned.PASSWORD));
        node.awaitReady();
    }

    @AfterAll
    static void stop() {
        if (node != null) {
            node.close();
        }
        redis.close();
        FILES.close();
    }

    @Test
    void locksWorkOverTls() throws Exception {
        var granted = node.call("POST", "/locks/secret").get(30, TimeUnit.SECONDS);
        assertThat(granted.statusCode()).as(granted.body()).isEqualTo(200);
        String path = "/locks/secret/" + JsonPath.from(granted.body()).getString("fencingToken");
        assertThat(node.post("/locks/secret/try").get(30, TimeUnit.SECONDS)).isEqualTo(404);
        // Notified by the message that announces a waiter
        var waiting = node.post("/locks/secret");
        assertThat(node.call("DELETE", path).get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(204);
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(200);
        try (TinyRedis administrator = redis.connect()) {
            assertThat(administrator.command("CLIENT", "LIST").toString()).as("its connections").contains("user=locks");
        }
    }
}
