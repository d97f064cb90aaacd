package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;

/** Users with just enough permissions, and with too few. */
class PermissionTest extends RedisTest {

    /** The permissions in the guide; INFO is only for the warning about eviction. */
    static final String[] NEEDED = Rights.inGuide("redis").toArray(String[]::new);

    @AfterEach
    void removeUser() {
        store.redis.command("ACL", "DELUSER", "locks");
        store.redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    }

    @Test
    void documentedPermissionsAreSufficient() {
        try (var log = LogLines.warnings(RedisLockBackend.class.getPackageName())) {
            Jvm holder = user(NEEDED);
            Jvm other = user(NEEDED);
            Grant first = holder.grant("name");
            assertThat(holder.renew(first).renewed()).hasSize(1);
            Jvm.Waiting waiting = other.claim("name");
            awaitQueued(waiting);
            assertThat(Jvm.get(holder.backend.inspect("name"))).isPresent();
            assertThat(Jvm.get(holder.backend.list(LockQuery.ALL)).locks()).extracting(LockInfo::name).containsExactly("name");
            other.time.timers = false;
            holder.release(first);
            Grant second = waiting.grant();
            assertThat(second.provisional()).isTrue();
            assertThat(Jvm.get(holder.backend.forceRelease("name"))).isTrue();
            assertThat(failure(() -> other.release(second))).isInstanceOf(LockLostException.class);
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void guidePermissionsMatchScriptCommands() {
        assertThat(Rights.commands(Stream.of(NEEDED))).isEqualTo(Rights.calledByScripts(false));
    }

    @Test
    void errorMessageListsAllScriptCommands() {
        String message = failure(() -> user(without("+evalsha")).grant("name")).getMessage();
        assertThat(Rights.inMessage(message, store.redis)).containsAll(Rights.calledByScripts(false));
    }

    @Test
    void everyDocumentedPermissionIsNeeded() {
        for (String right : List.of("+eval", "+evalsha", "+time", "+hlen", "+hgetall", "+hset", "+hdel", "+pexpireat",
                "~lock:*")) {
            store.redis.command("SCRIPT", "FLUSH");
            Jvm jvm = user(without(right));
            assertThat(failure(() -> {
                Grant grant = jvm.grant("name-" + right);
                jvm.ask("name-" + right);
                jvm.release(grant);
            })).as(right).isInstanceOf(LockBackendException.class).hasMessageContaining("is not allowed to do what locks need")
                    .hasMessageContaining("ACL SETUSER").hasMessageContaining("quarkus.redis.hosts");
            jvm.close();
        }
        Jvm blind = user(without("+scan"));
        assertThat(failure(() -> Jvm.get(blind.backend.list(LockQuery.ALL)))).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("is not allowed to do what locks need").hasMessageContaining("+scan");
        store.acquire("x", true);
        store.acquire("y", true);
        Jvm waiting = user(without("+hget"));
        assertThat(failure(() -> waiting.claim("name").grant())).hasMessageContaining("is not allowed to do what locks need");
        store.redis.command("DEL", Store.KEY);
        Jvm jvm = user(without("+hmget"));
        assertThat(jvm.renew(jvm.grant("name")).unknown()).hasSize(1);
    }

    /** Before 7.0, SELECT is not in the category of connection commands. */
    @Test
    void otherDatabaseNeedsSelectPermission() {
        user(NEEDED);
        assertThat(failure(() -> anotherDatabase().grant("name"))).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("is not allowed to do what locks need").hasMessageContaining(" +select");
        store.redis.command("ACL", "SETUSER", "locks", "+select");
        Jvm jvm = anotherDatabase();
        jvm.release(jvm.grant("name"));
    }

    private Jvm anotherDatabase() {
        return jvm("redis://locks:secret@127.0.0.1:" + server.port() + "/1", RedisLockOptions.STANDARD);
    }

    @Test
    void waitingWithoutPermissionFailsAtOnce() {
        Jvm jvm = user(without("+hset"));
        jvm.time.timers = false; // no polling and no timeout
        assertThat(failure(() -> jvm.claim("name").grant())).isInstanceOf(LockBackendException.class);
    }

    @Test
    void locksWorkWithoutPubSubPermissionAndWarn() {
        for (String missing : List.of("+publish", "+subscribe", "&lock:*")) {
            try (var log = LogLines.warnings(RedisLockBackend.class.getPackageName())) {
                String[] rights = without(missing);
                Jvm holder = user(rights);
                Jvm other = user(rights);
                Grant first = holder.grant(missing);
                Jvm.Waiting waiting = other.claim(missing);
                Await.until("it is queued", SOON, () -> waiting.claim.heldBy() != null
                        && (!missing.equals("+publish") || channelOf(waiting).length() > 0));
                holder.release(first);
                long start = System.nanoTime();
                Grant second = waiting.grant();
                assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(4));
                other.release(second);
                Await.until("it says so", SOON, () -> log.messages().stream()
                        .anyMatch(warning -> warning.contains("ACL SETUSER") && warning.contains("up to a second late")));
            }
        }
    }

    @Test
    @Fault(312)
    void fault312_backendKnowsWhetherWaiterMessagesArrive() {
        Jvm deaf = user(without("+subscribe"));
        deaf.grant("name");
        assertThat(deaf.backend.tellsOfWaiters()).as("without permission to subscribe").isFalse();
        deaf.close();

        Jvm jvm = user(NEEDED).listening();
        assertThat(jvm.backend.tellsOfWaiters()).isTrue();
        store.redis.command("ACL", "SETUSER", "locks", "-subscribe");
        store.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        Await.until("messages do not arrive", SOON, () -> !jvm.backend.tellsOfWaiters());
        store.redis.command("ACL", "SETUSER", "locks", "+subscribe");
        Await.until("they do again", SOON, jvm.backend::tellsOfWaiters);
    }

    @Test
    void wrongOrMissingCredentialsFailClearlyAtOnce() {
        store.redis.command("ACL", "SETUSER", "locks", "on", ">right");
        for (String url : List.of("redis://locks:wrong@127.0.0.1:" + server.port())) {
            Jvm jvm = jvm(url, RedisLockOptions.STANDARD);
            assertThat(failure(() -> jvm.claim("name").grant())).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("WRONGPASS").hasMessageContaining("quarkus.redis.password");
        }
        Await.during("failed attempts do not pile up", Duration.ofSeconds(1),
                () -> store.redis.text("CLIENT", "LIST").lines().count() <= 3);
        store.redis.command("CONFIG", "SET", "requirepass", "right");
        try {
            Jvm jvm = jvm();
            assertThat(failure(() -> jvm.ask("name"))).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("requires a password").hasMessageContaining("quarkus.redis.password");
        } finally {
            store.redis.command("CONFIG", "SET", "requirepass", "");
        }
    }

    @Test
    @Fault(31)
    void fault31_evictionPolicyIsWarnedAbout() {
        try (var log = LogLines.warnings(RedisLockBackend.class.getPackageName())) {
            jvm().grant("name");
            store.redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
            jvm().grant("other");
            Await.until("it is warned about", SOON, () -> !log.messages().isEmpty());
            assertThat(log.messages()).singleElement().asString().contains("maxmemory-policy allkeys-lru")
                    .contains("noeviction").contains("quarkus.lock.redis.client-name");
        }
    }

    private String channelOf(Jvm.Waiting waiting) {
        return store.redis.text("HGET", "lock:1:{test:" + waiting.claim.name() + "}", "w:" + waiting.claim.token())
                .split("\\|", -1)[3];
    }

    private Jvm user(String... rights) {
        var command = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset", "on", ">secret"));
        command.addAll(List.of(rights));
        store.redis.command(command.toArray(String[]::new));
        return jvm("redis://locks:secret@127.0.0.1:" + server.port(), RedisLockOptions.STANDARD);
    }

    private static String[] without(String right) {
        var rest = new ArrayList<>(List.of(NEEDED));
        assertThat(rest.remove(right)).isTrue();
        return rest.toArray(String[]::new);
    }
}
