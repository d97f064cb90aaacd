package io.quarkiverse.lock.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

class RedisServerTest {

    @Test
    void answersOnItsPort() {
        try (var server = RedisServer.start(); var redis = server.connect()) {
            assertThat(redis.command("SET", "key", "välue\r\n")).isEqualTo("OK");
            assertThat(redis.text("GET", "key")).isEqualTo("välue\r\n");
            assertThat(redis.text("GET", "other")).isNull();
            assertThat(redis.number("DEL", "key", "other")).isEqualTo(1);
            assertThat(redis.command("EVAL", "return {1, 'a', {false}}", "0"))
                    .isEqualTo(java.util.Arrays.asList(1L, "a", java.util.Collections.singletonList(null)));
            assertThat(redis.info("process_id")).isEqualTo(Long.toString(server.pid()));
            assertThatThrownBy(() -> redis.command("NONSENSE")).isInstanceOf(TinyRedis.ErrorReply.class)
                    .hasMessageContaining("unknown command");
        }
    }

    @Test
    void restartsEmptyOnTheSamePortAfterAKill() {
        try (var server = RedisServer.start()) {
            long pid = server.pid();
            try (var redis = server.connect()) {
                redis.command("SET", "key", "value");
                server.kill();
                assertThat(server.isRunning()).isFalse();
                assertThatThrownBy(() -> redis.command("PING")).isInstanceOf(UncheckedIOException.class);
            }
            assertThatThrownBy(server::connect).isInstanceOf(UncheckedIOException.class);
            server.restart();
            assertThat(server.pid()).isNotEqualTo(pid);
            try (var redis = server.connect()) {
                assertThat(redis.keys("*")).isEmpty();
            }
        }
    }

    @Test
    void isSilentWhilePaused() {
        try (var server = RedisServer.start(); var redis = server.connect().timeout(Duration.ofMillis(200))) {
            server.pause();
            assertThatThrownBy(() -> redis.command("PING")).isInstanceOf(UncheckedIOException.class);
            server.resume();
            assertThat(redis.timeout(Duration.ofSeconds(10)).read()).isEqualTo("PONG");
        }
    }

    @Test
    void takesConfigurationAndKeepsSecretsOffTheCommandLine() {
        try (var server = RedisServer.start("requirepass s3cret", "maxmemory 3mb"); var redis = server.connect()) {
            assertThatThrownBy(() -> redis.command("PING")).hasMessageContaining("NOAUTH");
            redis.command("AUTH", "s3cret");
            assertThat(redis.list("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "3145728"));
            assertThat(ProcessHandle.of(server.pid()).orElseThrow().info().commandLine().orElse(""))
                    .doesNotContain("s3cret");
        }
        assertThatThrownBy(() -> RedisServer.start("requirepas s3cret")).hasMessageContaining("ended at once")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void replicaFollowsItsMaster() {
        try (var master = RedisServer.start();
                var replica = RedisServer.start("replicaof " + master.host() + " " + master.port());
                var redis = replica.connect()) {
            assertThat(redis.info("role")).isEqualTo("slave");
        }
    }

    @Test
    void closeLeavesNoProcessBehind() {
        var server = RedisServer.start();
        var handle = ProcessHandle.of(server.pid()).orElseThrow();
        server.pause();
        server.close();
        assertThat(handle.isAlive()).isFalse();
        assertThat(server.directory()).doesNotExist();
        server.close();
    }
}
