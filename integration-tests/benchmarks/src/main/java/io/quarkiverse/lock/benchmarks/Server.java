package io.quarkiverse.lock.benchmarks;

/** What all sides of a workload use: a process of its own, with nothing in it at first. */
interface Server extends AutoCloseable {

    /** A Redis, or for a workload whose name says so three of them, a ZooKeeper, a PostgreSQL or a MariaDB. */
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

    /** Says of which kind it is, too. */
    String url();

    @Override
    void close();
}
