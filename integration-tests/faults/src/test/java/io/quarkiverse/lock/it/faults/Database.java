package io.quarkiverse.lock.it.faults;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.h2.tools.Server;

/** A database in this JVM that other JVMs can reach. */
final class Database implements AutoCloseable {

    private final Server server;

    Database() throws SQLException {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        run("create table counter (n int)");
        run("insert into counter values (0)");
    }

    String url() {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:counter;DB_CLOSE_DELAY=-1";
    }

    void reset() throws SQLException {
        run("update counter set n = 0");
    }

    int count() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url());
                var result = connection.createStatement().executeQuery("select n from counter")) {
            result.next();
            return result.getInt(1);
        }
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url()); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        try {
            run("shutdown"); // otherwise it still exists for the next test in this JVM
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            server.stop();
        }
    }
}
