package io.quarkiverse.lock.redis.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.quarkus.test.QuarkusUnitTest;

/** Locks can have a separate Redis, which nothing else in the application uses. */
class NamedClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .setBeforeAllCustomizer(() -> Server.start("user locks on >secret ~lock:* resetchannels &lock:* +hello +ping "
                    + "+client|setname +eval +evalsha +time +hlen +hget +hmget +hgetall +hset +hdel +pexpireat +publish "
                    + "+subscribe +info"))
            .setAfterAllCustomizer(Server::stop)
            .overrideConfigKey("quarkus.lock.redis.client-name", "locks")
            .overrideRuntimeConfigKey("quarkus.redis.locks.hosts", "redis://locks:secret@127.0.0.1:${" + Server.PORT + "}")
            .withApplicationRoot(jar -> jar.addClasses(Server.class));

    @Inject
    LockManager locks;

    @Test
    void namedClientConfigurationIsUsed() {
        try (LockHandle hold = locks.lock("stock-7").acquire();
                TinyRedis redis = new TinyRedis("127.0.0.1", Server.port())) {
            assertThat(hold.isValid()).isTrue();
            assertThat(redis.keys("*")).containsExactly("lock:1:{shop:stock-7}");
            assertThat(redis.text("CLIENT", "LIST")).contains("user=locks");
        }
    }
}
