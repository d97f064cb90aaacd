package io.quarkiverse.lock.it.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

/** Four JVMs of the packaged application count in one database, which also holds their locks. */
@DisplayNameGeneration(FaultDisplayNames.class)
class SeveralJvmsIT {

    private static final int JVMS = 4;
    private static final DatabaseResource DATABASE = new DatabaseResource();
    private static final List<Node> NODES = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        assumeFalse(DatabaseResource.KIND.equals("h2"), "That one is inside the application");
        Map<String, String> database = DATABASE.start();
        NODES.add(new Node("node-0", "/counter/ready", database));
        NODES.get(0).awaitReady();
        for (int i = 1; i < JVMS; i++) {
            NODES.add(new Node("node-" + i, "/counter/ready", database,
                    Map.of("quarkus.hibernate-orm.schema-management.strategy", "none")));
        }
        NODES.forEach(Node::awaitReady);
    }

    @AfterAll
    static void stop() {
        NODES.forEach(Node::close);
        DATABASE.stop();
    }

    @ParameterizedTest
    @ValueSource(strings = { "around", "outer", "quarkus-transaction", "requires-new", "timeout" })
    @Fault(51)
    void fault51_nextHolderReadsLastCommit(String kind) throws Exception {
        assertThat(missing(kind)).isZero();
    }

    @Test
    @Fault(52)
    void fault52_rollbackRevertsCountButNotLock() throws Exception {
        assertThat(missing("rolled-back")).isZero();
    }

    @Test
    void incrementsAreLostWithoutLock() throws Exception {
        assertThat(missing("unguarded")).as("otherwise the other tests prove nothing").isPositive();
    }

    /** Counts with two threads in each JVM. Returns the number of missing increments. */
    private static long missing(String kind) throws Exception {
        int each = Scale.times(200, 25);
        assertThat(NODES.get(0).put("/counter/" + kind).get(1, TimeUnit.MINUTES)).isEqualTo(204);
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (Node node : NODES) {
            all.add(node.post("/counter/" + kind + "/" + kind + "/" + each));
            all.add(node.post("/counter/" + kind + "/" + kind + "/" + each));
        }
        for (var one : all) {
            assertThat(one.get(3, TimeUnit.MINUTES)).isEqualTo(204);
        }
        return (long) all.size() * each - Long.parseLong(NODES.get(1).get("/counter/" + kind));
    }
}
