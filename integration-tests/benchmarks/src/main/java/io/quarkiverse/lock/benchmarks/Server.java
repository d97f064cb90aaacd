package io.quarkiverse.lock.benchmarks;

/** The server that all sides of a workload use: a separate process, empty at first. */
interface Server extends AutoCloseable {

    /** A Redis (three of them for a workload whose name says so), a ZooKeeper, a PostgreSQL or a MariaDB. */
    static Server forWorkload(String name) {
        if (name.startsWith("postgresql")) {
            return new PostgresProcess();
        }
        if (name.startsWith("mariadb")) {
            return new MariaDbProcess();
        }
        if (name.startsWith("quorum")) {
            return new QuorumProcess();
        }
        return name.startsWith("zookeeper") ? new ZooKeeperProcess(name.contains("fresh")) : new RedisProcess();
    }

    /** Also tells the kind of server. */
    String url();

    @Override
    void close();
}
