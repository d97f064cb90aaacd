package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;

import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.Fault;

/** The database is down while the application starts. */
class UnreachableTablesTest {

    @Test
    @Fault(384)
    void fault384_anOutageIsNotTakenForAMissingRight() throws IOException {
        int port;
        try (ServerSocket nobody = new ServerSocket(0)) {
            port = nobody.getLocalPort();
        }
        try (AgroalDataSource pool = Databases.pool("h2", "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:down", "sa", "", 2)) {
            Schema schema = new Schema(LockDatabase.of(pool, Databases.sessions("h2"), null, Databases.OPTIONS));
            assertThatThrownBy(schema::create).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("quarkus.lock.jpa.create-table=true", "quarkus_lock", "quarkus.datasource.*",
                            "cannot be reached", "Start the application again")
                    .hasMessageNotContainingAny("username", "Flyway");
            assertThat(schema.check()).as("only logged, where the tables should exist").isFalse();
        }
    }
}
