package io.quarkiverse.lock.it.testing;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.ws.rs.WebApplicationException;

import org.acme.ReactiveStockClient;
import org.acme.ReactiveWarehouse;
import org.acme.Warehouse;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.rest.FencingTokenHeader;
import io.quarkiverse.lock.test.TestLocks;
import io.quarkus.test.junit.QuarkusTest;

/** A paused holder writes to another application too late: the guard rejects the write, which does damage without it. */
@QuarkusTest
class FencedWritesTest {

    @Inject
    TestLocks locks;

    @Inject
    LockManager manager;

    @Inject
    Tables tables;

    @Inject
    Warehouse warehouse;

    @Inject
    SlowWarehouse slow;

    @Inject
    ReactiveWarehouse reactive;

    @Inject
    @RestClient
    ReactiveStockClient client;

    @Test
    void writeOfPausedHolderIsRejected() throws Exception {
        Throwable outcome = sellOneWhileOvertaken("7", true);
        assertThat(outcome).isInstanceOfSatisfying(WebApplicationException.class, refusal -> {
            assertThat(refusal.getResponse().getStatus()).isEqualTo(412);
            assertThat(refusal.getResponse().readEntity(String.class)).contains("later holder")
                    .doesNotContain("stock-7");
        });
        assertThat(amount("7")).isEqualTo(3);
    }

    @Test
    void staleWriteSucceedsWithoutGuard() throws Exception {
        sellOneWhileOvertaken("8", false);
        assertThat(amount("8")).as("what the later holder wrote is gone").isEqualTo(9);
    }

    /** There are 10 items: a holder that is paused sells one, and a later one sells 7 meanwhile. */
    private Throwable sellOneWhileOvertaken(String id, boolean guarded) throws Exception {
        tables.stock(id, 10);
        CountDownLatch paused = new CountDownLatch(1);
        CountDownLatch pause = new CountDownLatch(1);
        CompletableFuture<Throwable> outcome = CompletableFuture.supplyAsync(() -> {
            try {
                slow.sell(id, 1, guarded, () -> {
                    paused.countDown();
                    return pause.await(20, TimeUnit.SECONDS);
                });
                return null;
            } catch (Throwable e) {
                return e;
            }
        });
        assertThat(paused.await(10, TimeUnit.SECONDS)).isTrue();
        locks.lose("stock-" + id);
        warehouse.sell(id, 7);
        assertThat(amount(id)).isEqualTo(3);
        pause.countDown();
        return outcome.get(20, TimeUnit.SECONDS);
    }

    @Test
    void writeWithoutTokenIsRejected() {
        tables.stock("9", 0);
        given().put("/stock/9?amount=1").then().statusCode(428);
        given().header(FencingTokenHeader.NAME, "stock-8=99").put("/stock/9?amount=1").then().statusCode(428);
        assertThat(given().header(FencingTokenHeader.NAME, "nonsense").put("/stock/9?amount=1").then().statusCode(400)
                .extract().asString()).contains(FencingTokenHeader.NAME);
        assertThat(amount("9")).isZero();
    }

    @Test
    void headerContainsTokensOfAllScopes() throws Exception {
        tables.stock("ünï 1", 0);
        manager.lock("around, all").call(() -> {
            warehouse.sell("ünï 1", 1); // a name that has to be encoded
            return null;
        });
        assertThat(amount("ünï 1")).isEqualTo(-1);
    }

    @Test
    void reactiveClientSendsTokensManually() {
        tables.stock("10", 0);
        reactive.set("10", 5).await().atMost(Duration.ofSeconds(10));
        assertThat(amount("10")).isEqualTo(5);
        assertThatThrownBy(() -> client.write("10", 6, null).await().atMost(Duration.ofSeconds(10)))
                .isInstanceOf(WebApplicationException.class);
        assertThat(amount("10")).isEqualTo(5);
    }

    private static int amount(String id) {
        return Integer.parseInt(given().get("/stock/{id}", id).asString());
    }
}
