package io.quarkiverse.lock.it.reactive;

import static io.quarkiverse.lock.it.Calls.awaitFree;
import static io.quarkiverse.lock.it.Calls.forceRelease;
import static io.quarkiverse.lock.it.Calls.number;
import static io.quarkiverse.lock.it.Calls.post;
import static io.quarkiverse.lock.it.Calls.postInBackground;
import static io.quarkiverse.lock.it.Calls.result;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.it.ServerAddress;
import io.quarkiverse.lock.testkit.Await;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Locks around the transactions of Hibernate Reactive. */
@QuarkusTest
@QuarkusTestResource(Servers.class)
class AccountTest {

    /** Many times the number of connections in the pool. */
    private static final int CANCELLED = 60;

    @ServerAddress
    String database;

    private Bank bank;
    private String id;

    @BeforeEach
    void open(TestInfo test) throws Exception {
        bank = new Bank(database);
        id = test.getTestMethod().orElseThrow().getName() + test.getDisplayName().hashCode();
        bank.open(id);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        awaitFree("account-" + id);
        bank.awaitNoTransaction();
        for (int i = 0; i < 4; i++) {
            post("/accounts/{id}?amount=0", id).then().statusCode(200); // a connection is available for it
        }
        bank.close();
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "/printed" })
    void nextHolderReadsCommittedBalance(String kind) throws Exception {
        CompletableFuture<Response> first;
        CompletableFuture<Response> second;
        try (Bank stopped = bank.stopCommits(id)) {
            first = postInBackground("/accounts/{id}" + kind + "?amount=1", id);
            bank.awaitOneStopped();
            second = postInBackground("/accounts/{id}" + kind + "?amount=1", id);
            assertThat(held(id)).as("held while the transaction commits").isTrue();
        }
        assertThat(number(result(first))).isEqualTo(1);
        assertThat(number(result(second))).isEqualTo(2);
        assertThat(bank.balance(id)).isEqualTo(2);
    }

    @Test
    void failureRollsBackAndReleasesLock() throws Exception {
        assertThat(post("/accounts/{id}/failing?amount=1", id).asString()).contains("on purpose");
        assertThat(bank.balance(id)).isZero();
    }

    @Test
    void failedCommitReleasesLock() throws Exception {
        assertThat(post("/accounts/{id}?amount=-1", id).asString()).contains("overdrawn");
        assertThat(bank.balance(id)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = { "waiting", "stateless" })
    void lossRollsBackWhenMethodEnds(String kind) throws Exception {
        CompletableFuture<Response> call = postInBackground("/accounts/{id}/{kind}?amount=1", id, kind);
        awaitGate();
        lose(id);
        openGate();
        assertLost(call, id);
    }

    /** Its gate stays shut. */
    @Test
    void lossEndsNonTransactionalMethodAtOnce() throws Exception {
        CompletableFuture<Response> call = postInBackground("/accounts/{id}/by-hand?amount=1", id);
        awaitGate();
        lose(id);
        assertLost(call, id);
    }

    @Test
    void lossDuringSessionFlushRollsBack() throws Exception {
        CompletableFuture<Response> call;
        try (Bank stopped = bank.stopWrites(id)) {
            call = postInBackground("/accounts/{id}?amount=1", id);
            bank.awaitOneStopped();
            lose(id);
        }
        assertLost(call, id);
    }

    /** The first of two statements is in progress when the lock is lost: the second must not follow the rollback. */
    @Test
    void lossBetweenStatementsRollsBackAll() throws Exception {
        String other = id + "-other";
        bank.open(other);
        CompletableFuture<Response> call;
        try (Bank stopped = bank.stopWrites(id)) {
            call = postInBackground("/accounts/{id}/and/{other}?amount=1", id, other);
            bank.awaitOneStopped();
            lose(id);
        }
        openGate();
        assertLost(call, id);
        assertThat(bank.balance(other)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = { "stream", "stage" })
    void fault543_lossBetweenInnerStatementsRollsBackAll(String kind) throws Exception {
        String other = id + "-other";
        bank.open(other);
        CompletableFuture<Response> call;
        try (Bank stopped = bank.stopWrites(id)) {
            call = postInBackground("/accounts/{id}/in-transaction/{kind}/and/{other}?amount=1", id, kind, other);
            bank.awaitOneStopped();
            lose(id);
        }
        openGate();
        assertLost(call, id);
        assertThat(bank.balance(other)).isZero();
    }

    @Test
    void lossOfOneOfSeveralRollsBack() throws Exception {
        String other = id + "-other";
        bank.open(other);
        CompletableFuture<Response> call = postInBackground("/accounts/{id}/to/{other}?amount=0", id, other);
        awaitGate();
        lose(other);
        openGate();
        assertLost(call, other);
    }

    /** Otherwise the caller would continue with what was written without the lock. */
    @ParameterizedTest
    @ValueSource(strings = { "locked", "locked-stage", "unlocked", "unlocked-stage" })
    void fault546_outerTransactionRollsBackDespiteRecovery(String kind) throws Exception {
        String other = id + "-other";
        bank.open(other);
        CompletableFuture<Response> call = postInBackground("/accounts/{id}/recovering/{kind}/{other}?amount=1", id, kind,
                other);
        given().get("/accounts/{id}/gate", other).then().statusCode(200);
        lose(other);
        given().delete("/accounts/{id}/gate", other).then().statusCode(204);
        if (kind.startsWith("locked")) {
            assertLost(call, other);
        } else {
            assertThat(result(call).statusCode()).as("nothing reports the loss to the caller").isEqualTo(200);
        }
        assertThat(bank.balance(id)).isZero();
        assertThat(bank.balance(other)).isZero();
    }

    /** At every stage that the call passes: the wait, the connection, the beginning, the statements, the commit. */
    @Test
    void cancelledCallsLeaveNothingBehind() throws Exception {
        for (int turns = 0; turns < CANCELLED; turns++) {
            post("/accounts/{id}/cancelled?amount=1&turns={turns}", id, turns).then().statusCode(204);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "waiting", "stateless" })
    void cancelledTransactionIsRolledBack(String kind) throws Exception {
        for (int i = 0; i < 10; i++) {
            String each = id + i;
            bank.open(each);
            post("/accounts/{id}/{kind}/cancelled?amount=1", each, kind).then().statusCode(204);
            assertThat(held(each)).as("held for as long as its transaction is open").isTrue();
            given().delete("/accounts/{id}/gate", each).then().statusCode(204);
            awaitFree("account-" + each);
            bank.awaitNoTransaction();
            assertThat(bank.balance(each)).isZero();
        }
    }

    /** Hibernate Reactive is not asked to wait for its rollback, so the lock does not wait for it either. */
    @Test
    void cancelledManualTransactionReleasesLockAndRollsBack() throws Exception {
        for (int i = 0; i < 10; i++) {
            String each = id + i;
            bank.open(each);
            post("/accounts/{id}/by-hand/cancelled?amount=1", each).then().statusCode(204);
            awaitFree("account-" + each); // its gate stays shut
            bank.awaitNoTransaction();
            assertThat(bank.balance(each)).isZero();
        }
    }

    /** It would be released before that transaction commits. */
    @ParameterizedTest
    @CsvSource({ "locked, deposit", "stream, balances", "streams, balances", "stage, balance", "stages, balance" })
    void lockInsideActiveTransactionIsRejected(String kind, String method) throws Exception {
        assertThat(post("/accounts/{id}/in-transaction/{kind}?amount=1", id, kind).asString())
                .contains("account-" + id, "Accounts." + method, "before that transaction commits", "ON_RETURN");
        assertThat(bank.balance(id)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = { "nested", "on-return" })
    void nestedOrOnReturnLockIsAllowedInTransaction(String kind) throws Exception {
        assertThat(number(post("/accounts/{id}/in-transaction/{kind}?amount=1", id, kind))).isEqualTo(1);
        assertThat(bank.balance(id)).isEqualTo(1);
    }

    @Test
    void nonTransactionalMethodRunsOnAnyContext() {
        assertThat(post("/accounts/{id}/without-database", id).asString()).isEqualTo(id);
    }

    @Test
    void methodMayEndOnAnotherContext() {
        assertThat(post("/accounts/{id}/ending-elsewhere", id).asString()).isEqualTo(id);
    }

    /** Returns once the holder knows of the loss. */
    private static void lose(String id) {
        assertThat(forceRelease("account-" + id)).isTrue();
        Await.until("the holder knows", Duration.ofSeconds(15),
                () -> given().get("/locks/{name}/lost", "account-" + id).asString().equals("true"));
    }

    private void assertLost(CompletableFuture<Response> call, String of) throws Exception {
        Response response = result(call);
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(409);
        assertThat(response.asString()).contains("account-" + of);
        assertThat(bank.balance(id)).isZero();
    }

    private static boolean held(String id) {
        return given().get("/locks/{name}", "account-" + id).statusCode() == 200;
    }

    private void awaitGate() {
        given().get("/accounts/{id}/gate", id).then().statusCode(200);
    }

    private void openGate() {
        given().delete("/accounts/{id}/gate", id).then().statusCode(204);
    }
}
