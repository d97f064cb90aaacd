package io.quarkiverse.lock.it.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.it.DatabaseResource;
import io.quarkiverse.lock.it.Node;

/** JVMs of the packaged application on one database, which is PostgreSQL or MariaDB. */
final class Nodes implements AutoCloseable {

    private static final String READY = "/counter/ready";

    private final DatabaseResource server = new DatabaseResource();
    private final Map<String, String> database = server.start();
    private final List<Node> all = new ArrayList<>();

    Nodes(int count) throws IOException {
        try {
            for (int i = 0; i < count; i++) {
                all.add(node(i, i == 0 ? "drop-and-create" : "none"));
                if (i == 0) {
                    all.get(0).awaitReady();
                }
            }
            all.forEach(Node::awaitReady);
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private Node node(int number, String schema) throws IOException {
        String session = DatabaseResource.KIND.equals("mariadb") ? "SELECT CONNECTION_ID()" : "SELECT pg_backend_pid()";
        return new Node("node-" + number, READY, database,
                Map.of("quarkus.hibernate-orm.schema-management.strategy", schema, "it.session-query", session));
    }

    List<Node> all() {
        return all;
    }

    Node get(int number) {
        return all.get(number);
    }

    /** Kills it without a chance to clean up, and starts another one in its place. */
    void kill(int number) throws IOException {
        all.get(number).close();
        all.set(number, node(number, "none"));
    }

    /** Ends a session of the database as an administrator does. */
    void endSession(long number) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.get("quarkus.datasource.jdbc.url"),
                database.get("quarkus.datasource.username"), database.get("quarkus.datasource.password"));
                Statement statement = connection.createStatement()) {
            statement.execute(DatabaseResource.KIND.equals("mariadb") ? "KILL " + number
                    : "SELECT pg_terminate_backend(" + number + ")");
        }
    }

    long value(String id) throws Exception {
        return Long.parseLong(get(1).get("/counter/" + id));
    }

    void reset(String id) throws Exception {
        assertThat(get(0).put("/counter/" + id).get(1, TimeUnit.MINUTES)).isEqualTo(204);
    }

    /** A call of this JVM that has the lock, has counted under it, and continues. */
    CompletableFuture<Integer> hold(int number, String id) throws Exception {
        reset(id);
        CompletableFuture<Integer> holder = get(number).post("/holding/" + id + "/until-told");
        session(number, id);
        return holder;
    }

    /** The database's session number of the holder. */
    long session(int number, String id) throws Exception {
        return Long.parseLong(get(number).get("/holding/" + id + "/session"));
    }

    /** Lets the holder continue. */
    void end(int number, String id) throws Exception {
        assertThat(get(number).post("/holding/" + id + "/end").get(1, TimeUnit.MINUTES)).isEqualTo(204);
    }

    @Override
    public void close() {
        all.forEach(Node::close);
        server.stop();
    }
}
