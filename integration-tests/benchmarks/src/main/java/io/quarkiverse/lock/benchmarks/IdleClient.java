package io.quarkiverse.lock.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;

import org.apache.curator.framework.CuratorFramework;

import io.agroal.api.AgroalDataSource;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** What an application with a store has in any case, once the store has been used. */
final class IdleClient {

    private IdleClient() {
    }

    static AutoCloseable of(String url) throws Exception {
        if (PostgresProcess.is(url)) {
            AgroalDataSource pool = PostgresProcess.pool(url);
            try (Connection connection = pool.getConnection()) {
                if (!connection.isValid(10)) {
                    throw new SQLException("No connection");
                }
            }
            return pool;
        }
        if (ZooKeeperProcess.is(url)) {
            CuratorFramework client = ZooKeeperProcess.client(url);
            client.checkExists().forPath("/");
            return client;
        }
        var connection = new RawConnection(url);
        connection.ask(Request.cmd(Command.PING));
        return connection;
    }
}
