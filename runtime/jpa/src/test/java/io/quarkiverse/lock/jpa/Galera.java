package io.quarkiverse.lock.jpa;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.FreePort;

/** Two nodes of MariaDB with Galera, which both take writes. From Debian's packages; on the loopback interface only. */
final class Galera implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final String PROVIDER = "/usr/lib/galera/libgalera_smm.so";
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** One of them. */
    final class Node implements DatabaseServer {

        private final Path data;
        private final int port = FreePort.find();
        private final int group = FreePort.find();
        private final int state = FreePort.find();
        private final int copy = FreePort.find();
        private Leash leash;
        private Process process;

        private Node(String name) throws IOException, InterruptedException {
            data = directory.resolve(name);
            run("mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db",
                    "--user=" + OWNER, "--datadir=" + data);
        }

        private void start(String cluster, String... more) throws IOException {
            var command = new ArrayList<>(List.of("mariadbd", "--no-defaults", "--user=" + OWNER, "--datadir=" + data,
                    "--socket=" + data.resolve("socket"), "--pid-file=" + data.resolve("pid"), "--bind-address=" + HOST,
                    "--port=" + port, "--binlog-format=ROW", "--innodb-autoinc-lock-mode=2",
                    "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M", "--wsrep-on=ON",
                    "--wsrep-provider=" + PROVIDER, "--wsrep-cluster-name=locks",
                    "--wsrep-node-address=" + HOST + ":" + group, "--wsrep-sst-method=rsync",
                    "--wsrep-sst-receive-address=" + HOST + ":" + copy,
                    "--wsrep-provider-options=gmcast.listen_addr=tcp://" + HOST + ":" + group + ";ist.recv_addr=" + HOST + ":"
                            + state + ";gcache.size=32M",
                    "--wsrep-cluster-address=gcomm://" + cluster));
            command.addAll(List.of(more));
            process = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(Redirect.to(new File(data + ".log"))).start();
            leash = Leash.on(process);
            Await.until("a node is part of the cluster", PATIENCE, this::ready);
        }

        private boolean ready() {
            if (!process.isAlive()) {
                throw new IllegalStateException("The node has ended, see " + data + ".log");
            }
            try (Connection connection = DriverManager.getConnection("jdbc:mariadb://" + HOST + ":" + port + "/", "root", "");
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SHOW STATUS LIKE 'wsrep_ready'")) {
                return row.next() && row.getString(2).equals("ON");
            } catch (SQLException e) {
                return false;
            }
        }

        @Override
        public String kind() {
            return "mariadb";
        }

        @Override
        public String host() {
            return HOST;
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        public String url(String host, int port) {
            return "jdbc:mariadb://" + host + ":" + port + "/locks";
        }

        @Override
        public String user() {
            return "root";
        }

        @Override
        public String password() {
            return "";
        }

        @Override
        public String nowMicros() {
            return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
        }

        @Override
        public void close() {
            if (leash != null) {
                leash.close();
            }
        }
    }

    /** The initial copy for the second node is not made as root: the tool would switch to another user. */
    private static final String OWNER = "root".equals(System.getProperty("user.name")) ? "mysql"
            : System.getProperty("user.name");

    private final Path directory;
    final Node one;
    final Node other;

    Galera() throws IOException, InterruptedException, SQLException {
        directory = Files.createTempDirectory("galera-");
        if ("mysql".equals(OWNER)) {
            Files.setOwner(directory, directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(OWNER));
        }
        one = new Node("one");
        other = new Node("other");
        one.start("", "--wsrep-new-cluster");
        try (Connection connection = DriverManager.getConnection("jdbc:mariadb://" + HOST + ":" + one.port + "/", "root", "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE locks");
        }
        other.start(HOST + ":" + one.group);
    }

    private void run(String... command) throws IOException, InterruptedException {
        Path log = directory.resolve("install.log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Redirect.to(log.toFile()))
                .start();
        if (process.waitFor() != 0) {
            throw new IllegalStateException(String.join(" ", command) + ": " + Files.readString(log));
        }
    }

    @Override
    public void close() throws IOException {
        other.close();
        one.close();
        try (Stream<Path> files = Files.walk(directory)) {
            files.map(Path::toFile).sorted(java.util.Comparator.reverseOrder()).forEach(File::delete);
        }
    }
}
