package io.quarkiverse.lock.it.faults.lab;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.quarkiverse.lock.testkit.process.ChildFailure;
import io.quarkiverse.lock.testkit.process.ChildJvm;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/**
 * JVMs whose locks live in transactions, and a nemesis. The result is in the database: what was committed under the locks has
 * to look as if one holder had followed the other.
 */
final class TransactionsLab implements AutoCloseable {

    private static final Duration END = Duration.ofSeconds(90);

    /** Something that happens to them. */
    @FunctionalInterface
    private interface Deed {

        void on(Node node, long length) throws Exception;
    }

    private final class Node implements AutoCloseable {

        private final StoreLink link;
        private final long seed;
        private ChildJvm jvm;
        private int starts;

        Node(long seed) {
            this.seed = seed;
            link = stand.link();
            start();
        }

        void start() {
            jvm = ChildJvm.start(TransactionsChild.class, server.kind(), server.url(link.host(), link.port()), server.user(),
                    server.password(), isolation.name(), Long.toString(seed * 1009 + starts++));
        }

        /** What the JVM has counted so far is lost with it. */
        void kill() {
            jvm.kill();
            jvm.close();
            start();
        }

        @Override
        public void close() {
            jvm.resume();
            jvm.close();
            link.close();
        }
    }

    private final DatabaseStand stand;
    private final DatabaseServer server;
    private final TransactionIsolation isolation;
    private final Random random;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Deed> deeds = new TreeMap<>();
    private final Map<String, Integer> done = new TreeMap<>();
    private final Map<String, Long> outcomes = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    TransactionsLab(DatabaseStand stand, TransactionIsolation isolation, long seed) throws SQLException {
        this.stand = stand;
        this.server = stand.server();
        this.isolation = isolation;
        random = new Random(seed);
        deeds.put("SIGSTOP of a JVM", (node, length) -> {
            node.jvm.pause();
            pass(length);
            node.jvm.resume();
        });
        deeds.put("kill -9 of a JVM", (node, length) -> node.kill());
        deeds.put("cut the link", (node, length) -> node.link.each(FaultProxy::cut));
        deeds.put("a silent link", (node, length) -> {
            node.link.each(FaultProxy::blackhole);
            pass(length);
            node.link.each(FaultProxy::pass);
        });
        deeds.put("slow replies", (node, length) -> {
            node.link.each(proxy -> proxy.delayReplies(Duration.ofMillis(100)));
            pass(length);
            node.link.each(FaultProxy::pass);
        });
        deeds.put("end of all connections", (node, length) -> stand.endConnections());
        deeds.put("SIGSTOP of the server", (node, length) -> {
            server.pause();
            pass(length);
            server.resume();
        });
        deeds.put("kill -9 and restart of the server", (node, length) -> server.restart());
        execute("DROP TABLE IF EXISTS lab_seat", "DROP TABLE IF EXISTS lab_count", "DROP TABLE IF EXISTS lab_note",
                "CREATE TABLE lab_seat (name VARCHAR(20), n BIGINT, token BIGINT, began BIGINT, ended BIGINT)",
                "CREATE INDEX lab_seat_name ON lab_seat (name, n)", "CREATE TABLE lab_note (name VARCHAR(20))",
                "CREATE TABLE lab_count (name VARCHAR(20) PRIMARY KEY, n BIGINT)");
        for (String name : Stand.NAMES) {
            execute("INSERT INTO lab_count VALUES ('" + name + "', 0)");
        }
        for (int i = 0; i < Laboratory.JVMS; i++) {
            nodes.add(new Node(seed * 31 + i));
        }
    }

    /** Ends early when something is wrong. */
    TransactionsSitting run(long seed, long seconds) throws Exception {
        long begin = System.nanoTime();
        List<String> names = List.copyOf(deeds.keySet());
        while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(seconds) && violations.isEmpty()) {
            pass(TimeUnit.MILLISECONDS.toNanos(500 + random.nextInt(1500)));
            String deed = names.get(random.nextInt(names.size()));
            Node node = nodes.get(random.nextInt(nodes.size()));
            if (deed.equals("kill -9 of a JVM")) {
                count(node);
            }
            deeds.get(deed).on(node, TimeUnit.MILLISECONDS.toNanos(200 + random.nextInt(1500)));
            done.merge(deed, 1, Integer::sum);
            check();
        }
        end();
        check();
        long seats = number("SELECT COUNT(*) FROM lab_seat");
        return new TransactionsSitting(seed, (System.nanoTime() - begin) / 1e9, seats, outcomes, done, violations, problems);
    }

    private void end() {
        for (Node node : nodes) {
            try {
                String left = node.jvm.ask("stop", END);
                if (!left.isEmpty()) {
                    problems.add("at the end a JVM still " + left);
                }
                count(node);
            } catch (ChildFailure e) {
                problems.add("no end: " + e.getMessage());
            }
        }
    }

    private void count(Node node) {
        for (String each : node.jvm.ask("outcomes").split(";")) {
            int equals = each.lastIndexOf('=');
            if (equals > 0) {
                outcomes.merge(each.substring(0, equals), Long.parseLong(each.substring(equals + 1)), Long::sum);
            }
        }
    }

    /**
     * Each holder of a name has seen everything the previous one did, began after that one had ended, and has a greater token.
     */
    private void check() throws SQLException {
        var last = new HashMap<String, long[]>();
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            try (ResultSet seats = statement
                    .executeQuery("SELECT name, n, token, began, ended FROM lab_seat ORDER BY name, n, token")) {
                while (seats.next()) {
                    String name = seats.getString(1);
                    long[] before = last.getOrDefault(name, new long[] { 0, 0, Long.MIN_VALUE });
                    long n = seats.getLong(2);
                    if (n != before[0] + 1) {
                        violations.add(name + ": seat " + n + " after " + before[0]);
                    } else if (seats.getLong(3) <= before[1]) {
                        violations.add(name + ": seat " + n + " has token " + seats.getLong(3) + " after " + before[1]);
                    } else if (seats.getLong(4) < before[2]) {
                        violations.add(name + ": seat " + n + " was begun while the one before was not given out yet");
                    }
                    last.put(name, new long[] { n, seats.getLong(3), seats.getLong(5) });
                }
            }
        }
        String lost = "SELECT COUNT(*) FROM lab_count c WHERE c.n <> (SELECT COUNT(*) FROM lab_seat s WHERE s.name = c.name)";
        if (violations.isEmpty() && number(lost) > 0) {
            violations.add("an increment is missing");
        }
    }

    private static void pass(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }
}
