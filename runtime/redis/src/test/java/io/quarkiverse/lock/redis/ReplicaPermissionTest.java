package io.quarkiverse.lock.redis;

import static io.quarkiverse.lock.redis.PermissionTest.NEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** What a user for locks needs besides when a replica has to acknowledge them, with nothing else. */
class ReplicaPermissionTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private static RedisReplication redis;

    private final List<Jvm> jvms = new ArrayList<>();

    @BeforeAll
    static void start() {
        redis = RedisReplication.start(1);
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @AfterEach
    void closeAll() {
        jvms.forEach(Jvm::close);
    }

    private Jvm user(String... more) {
        var command = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset", "on", ">secret"));
        command.addAll(List.of(NEEDED));
        command.addAll(List.of(more));
        try (var there = redis.master().connect()) {
            there.command(command.toArray(String[]::new));
        }
        var options = new RedisLinkOptions("lock:", Duration.ofSeconds(15), Duration.ofSeconds(60), false, "quarkus.redis.", 1);
        var jvm = new Jvm(RedisLink.to(options, vertx -> Redis.createClient(vertx, new RedisOptions()
                .setConnectionString("redis://locks:secret@127.0.0.1:" + redis.master().port()))));
        jvms.add(jvm);
        return jvm;
    }

    @Test
    void theDocumentedRightsAreEnough() {
        try (var log = new LogCapture()) {
            Jvm holder = user("+wait");
            Jvm other = user("+wait");
            Grant first = holder.grant("name");
            assertThat(holder.renew(first).renewed()).hasSize(1);
            Jvm.Waiting waiting = other.claim("name");
            try (var store = new Store(redis.master())) {
                Await.until("it is queued with a channel", SOON, () -> {
                    String entry = store.redis.text("HGET", "lock:1:{test:name}", "w:" + waiting.claim.token());
                    return entry != null && !entry.split("\\|", -1)[3].isEmpty();
                });
            }
            other.time.timers = false;
            holder.release(first);
            Grant second = waiting.grant();
            assertThat(Jvm.get(holder.backend.forceRelease("name"))).isTrue();
            other.release(second);
            assertThat(log.warnings).isEmpty();
        }
    }

    @Test
    void withoutTheRightToWaitNothingIsGrantedAndTheMessageSaysWhy() {
        Jvm jvm = user();
        assertThat(RedisTest.failure(() -> jvm.ask("name"))).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("may not do what locks need").hasMessageContaining("ACL SETUSER")
                .hasMessageContaining("+wait");
    }
}
