package io.quarkiverse.lock.it.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.Node;
import io.quarkiverse.lock.testkit.Await;

/** Two JVMs of the packaged application use the same account, one after the other. */
class TwoJvmsIT {

    private static final Servers SERVERS = new Servers();
    private static Node first;
    private static Node second;
    private static Bank bank;

    @BeforeAll
    static void start() throws Exception {
        Map<String, String> addresses = SERVERS.start();
        first = new Node("first", "/accounts/any/seen", addresses);
        second = new Node("second", "/accounts/any/seen", addresses);
        first.awaitReady();
        second.awaitReady();
        bank = new Bank(SERVERS.databaseUrl());
        bank.open("joint");
    }

    @AfterAll
    static void stop() throws Exception {
        if (bank != null) {
            bank.close();
        }
        first.close();
        second.close();
        SERVERS.stop();
    }

    @Test
    void nextHolderReadsCommittedBalance() throws Exception {
        CompletableFuture<Integer> committing;
        CompletableFuture<Integer> waiting;
        try (Bank stopped = bank.stopCommits("joint")) {
            committing = first.post("/accounts/joint?amount=1");
            bank.awaitOneStopped();
            waiting = second.post("/accounts/joint?amount=1");
            Await.until("the second waits for the lock", Duration.ofSeconds(30),
                    () -> first.get("/locks/account-joint").contains("waiters=1"));
            assertThat(second.get("/accounts/any/seen")).as("ended and begun").isEqualTo("0 0");
        }
        assertThat(committing.get(1, TimeUnit.MINUTES)).isEqualTo(200);
        assertThat(waiting.get(1, TimeUnit.MINUTES)).isEqualTo(200);
        assertThat(bank.balance("joint")).isEqualTo(2);
    }
}
