package io.quarkiverse.lock.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.RedisServer;

class LeashTest {

    /** Has a child process, which must not outlive it. */
    public static class Owner implements ChildMain {
        @Override
        public String handle(String request, Child child) {
            var server = RedisServer.start();
            server.pause();
            return Long.toString(server.pid());
        }
    }

    @Test
    void pausedServerEndsWhenItsOwnerIsKilled() {
        try (var owner = ChildJvm.start(Owner.class)) {
            var server = ProcessHandle.of(Long.parseLong(owner.ask("start"))).orElseThrow();
            assertThat(server.isAlive()).isTrue();
            owner.kill();
            Await.until("the server is gone", Duration.ofSeconds(10), () -> !server.isAlive());
        }
    }
}
