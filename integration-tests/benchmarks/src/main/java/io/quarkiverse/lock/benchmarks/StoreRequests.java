package io.quarkiverse.lock.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The requests to a store so far, according to the store: commands of Redis; requests of ZooKeeper, pings included;
 * transactions of PostgreSQL, each of which is one statement where nothing is contended.
 */
final class StoreRequests {

    private static final String COMMANDS = "total_commands_processed:";

    private final String url;
    /** Each count is also a request, which the next one sees. */
    private int counts;

    StoreRequests(String url) {
        this.url = url;
    }

    /** Excludes the cost of counting. */
    long count() {
        long all = PostgresProcess.is(url) ? transactions()
                : ZooKeeperProcess.is(url) ? ZooKeeperProcess.figure(url, "Received") : commands();
        return all - counts++ * (PostgresProcess.is(url) || ZooKeeperProcess.is(url) ? 1 : 2);
    }

    private long transactions() {
        try (Connection connection = PostgresProcess.connect(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()")) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private long commands() {
        URI server = URI.create(url);
        try (var socket = new Socket(server.getHost(), server.getPort())) {
            socket.getOutputStream().write("INFO stats\r\nQUIT\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.lines().filter(line -> line.startsWith(COMMANDS))
                    .mapToLong(line -> Long.parseLong(line.substring(COMMANDS.length()).strip())).findFirst()
                    .orElseThrow(() -> new IllegalStateException("No " + COMMANDS + " in " + answer));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
