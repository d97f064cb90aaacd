package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.impl.types.BulkType;

/** The run IDs that servers report to each new connection. */
class ServerRunsTest {

    private final ServerRuns runs = new ServerRuns();

    private void connected(String client, String run) {
        runs.question(client)
                .answered(BulkType.create(Buffer.buffer("# Server\r\nredis_version:7.4\r\nrun_id:" + run + "\r\n"), false));
    }

    @Test
    @Fault(526)
    void fault526_sharedServerIsReportedOnce() {
        try (var log = LogLines.warnings(getClass().getPackageName())) {
            connected("a.", "one");
            connected("b.", "other");
            assertThat(log.messages()).isEmpty();
            connected("c.", "one");
            assertThat(log.messages()).singleElement().asString().startsWith("a.hosts and c.hosts lead to the same");
            runs.disconnected("c.");
            connected("c.", "one");
            assertThat(log.messages()).as("after a reconnect").hasSize(1);
        }
    }

    @Test
    @Fault(526)
    void fault526_reconnectedClientIsComparedAgain() {
        try (var log = LogLines.warnings(getClass().getPackageName())) {
            connected("a.", "one");
            connected("b.", "other");
            runs.disconnected("b.");
            connected("b.", "one");
            assertThat(log.messages()).singleElement().asString().startsWith("a.hosts and b.hosts lead to the same");
        }
    }

    @Test
    void distinctServersAreNotReported() {
        try (var log = LogLines.warnings(getClass().getPackageName())) {
            connected("a.", "one");
            connected("b.", "other");
            runs.disconnected("a.");
            connected("c.", "one"); // the first client's server until it was replaced
            connected("a.", "restarted");
            connected("a.", "restarted");
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void serverWithoutRunIdIsNotCompared() {
        try (var log = LogLines.warnings(getClass().getPackageName())) {
            for (String client : new String[] { "a.", "b." }) {
                runs.question(client).answered(BulkType.create(Buffer.buffer("# Server\r\nredis_version:7.4\r\n"), false));
            }
            assertThat(log.messages()).isEmpty();
        }
    }
}
