package io.quarkiverse.lock.it.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.it.DatabaseResource;
import io.quarkiverse.lock.it.Node;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.contract.Scale;

/** Four JVMs of the packaged application, whose locks live in the transactions of one database. */
@DisplayNameGeneration(FaultDisplayNames.class)
class SeveralJvmsIT {

    private static final int OK = 200;
    private static final int DONE = 204;
    private static final int LOST = 409;
    private static final int BUSY = 423;

    private static Nodes nodes;

    @BeforeAll
    static void start() throws Exception {
        assumeFalse(DatabaseResource.KIND.equals("h2"), "That one is inside the application");
        nodes = new Nodes(4);
    }

    @AfterAll
    static void stop() {
        if (nodes != null) {
            nodes.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "transactional", "own", "outer", "outer-twice", "quarkus-transaction", "requires-new",
            "requires-new-inside", "timeout" })
    @Fault(51)
    void fault51_nextHolderReadsLastCommit(String kind) throws Exception {
        assertThat(missing(kind)).isZero();
    }

    @Test
    @Fault(52)
    void fault52_rollbackRevertsCountAndReleasesLock() throws Exception {
        assertThat(missing("rolled-back")).isZero();
    }

    @Test
    void incrementsAreLostWithoutLock() throws Exception {
        assertThat(missing("unguarded")).as("otherwise the other tests prove nothing").isPositive();
    }

    @Test
    void waitForAnotherJvmTimesOut() throws Exception {
        CompletableFuture<Integer> holder = nodes.hold(0, "bounded");
        long start = System.nanoTime();
        assertThat(status(nodes.get(1).post("/holding/bounded/impatient"))).isEqualTo(BUSY);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(300), Duration.ofSeconds(12));

        nodes.reset("refused");
        assertThat(status(nodes.get(2).post("/holding/bounded/refused-twice/refused"))).isEqualTo(OK);
        assertThat(nodes.value("refused")).as("the transaction was still usable and counted twice").isEqualTo(2);

        nodes.end(0, "bounded");
        assertThat(status(holder)).isEqualTo(OK);
        assertThat(status(nodes.get(1).post("/holding/bounded/impatient"))).isEqualTo(OK);
        assertThat(nodes.value("bounded")).isEqualTo(1);
    }

    @Test
    @Fault(48)
    void fault48_lostConnectionFailsTheHolder() throws Exception {
        CompletableFuture<Integer> holder = nodes.hold(0, "cut-off");
        CompletableFuture<Integer> next = nodes.get(1).post("/counter/cut-off/own/1");
        nodes.endSession(nodes.session(0, "cut-off"));
        assertThat(status(next)).as("it has not waited for a lease").isEqualTo(DONE);

        nodes.end(0, "cut-off");
        assertThat(status(holder)).isEqualTo(LOST);
        assertThat(nodes.value("cut-off")).as("the first increment was rolled back").isEqualTo(1);
    }

    /** Its work was done under a lock that others may already hold. */
    @Test
    @Fault(48)
    void fault48_innerTransactionFailsAfterOuterLosesLock() throws Exception {
        nodes.reset("inner");
        CompletableFuture<Integer> holder = nodes.get(0).post("/holding/inner/until-lost");
        nodes.endSession(nodes.session(0, "inner"));
        assertThat(status(holder)).isEqualTo(LOST);
        assertThat(nodes.value("inner")).isZero();
    }

    /** The lease is longer than any wait in this test. */
    @Test
    void deadHoldersLockIsReleasedAtOnce() throws Exception {
        CompletableFuture<Integer> holder = nodes.hold(3, "dead");
        CompletableFuture<Integer> next = nodes.get(1).post("/counter/dead/own/1");
        nodes.kill(3);
        assertThat(status(next)).isEqualTo(DONE);
        assertThat(holder).failsWithin(Duration.ofMinutes(1));
        assertThat(nodes.value("dead")).isEqualTo(1);
        nodes.get(3).awaitReady();
    }

    /** Counts with two threads in each JVM. Returns the number of missing increments. */
    private static long missing(String kind) throws Exception {
        int each = Scale.times(200, 25);
        nodes.reset(kind);
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (Node node : nodes.all()) {
            all.add(node.post("/counter/" + kind + "/" + kind + "/" + each));
            all.add(node.post("/counter/" + kind + "/" + kind + "/" + each));
        }
        for (var one : all) {
            assertThat(status(one)).isEqualTo(DONE);
        }
        return (long) all.size() * each - nodes.value(kind);
    }

    private static int status(CompletableFuture<Integer> call) throws Exception {
        return call.get(3, TimeUnit.MINUTES);
    }
}
