package io.quarkiverse.lock.jpa;

import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** A MariaDB that is treated as MySQL: with MySQL's driver and Hibernate's dialect for MySQL. */
public final class ConnectorJ implements DatabaseServer {

    private final MariaDbServer server;

    public ConnectorJ(MariaDbServer server) {
        this.server = server;
    }

    @Override
    public String kind() {
        return "mysql";
    }

    @Override
    public String host() {
        return server.host();
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public String url(String host, int port) {
        return "jdbc:mysql://" + host + ":" + port + "/locks";
    }

    @Override
    public String user() {
        return server.user();
    }

    @Override
    public String password() {
        return server.password();
    }

    @Override
    public String nowMicros() {
        return server.nowMicros();
    }

    @Override
    public void close() {
        server.close();
    }
}
