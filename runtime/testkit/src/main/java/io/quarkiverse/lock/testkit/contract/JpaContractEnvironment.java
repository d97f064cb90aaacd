package io.quarkiverse.lock.testkit.contract;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/**
 * A namespace in a database that several tests share, with a proxy in front of the clients that ask for one.
 *
 * <p>
 * It relies on this layout: in {@code quarkus_lock} a row with a token and an {@code expires} in the future is a holder; so is
 * a row of kind {@code H} in {@code quarkus_lock_claim}, and a row of kind {@code W} is a waiter.
 */
public final class JpaContractEnvironment implements ContractEnvironment {

    /** Creates the backend under test. */
    public interface BackendFactory {

        /** A new backend. What it does not close itself goes to {@code closeLater}. */
        LockBackend backend(DatabaseServer server, String url, String namespace, String owner,
                Consumer<AutoCloseable> closeLater);

        /** The key of a name's row. */
        String id(String namespace, String name);

        /** How a list shows a name: the table keeps only what fits into its column. */
        String listed(String namespace, String name);
    }

    private final String name;
    private final DatabaseServer server;
    private final BackendFactory factory;
    private final String namespace = "contract-" + UUID.randomUUID();
    private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> closeables = new CopyOnWriteArrayList<>();
    private @Nullable Class<? extends ChildBackend> childBackend;
    private double repetitions = 1;
    private volatile boolean paused;

    /** @param name the name of the list of skips */
    public JpaContractEnvironment(String name, DatabaseServer server, BackendFactory factory) {
        this.name = name;
        this.server = server;
        this.factory = factory;
    }

    /** The arguments with which a test's other JVMs create their backends: kind, URL, user, password, namespace. */
    public JpaContractEnvironment childBackend(Class<? extends ChildBackend> factory) {
        this.childBackend = factory;
        return this;
    }

    /** For a database tested alongside one that gets all {@linkplain #repetitions repetitions}. */
    public JpaContractEnvironment repetitions(double part) {
        this.repetitions = part;
        return this;
    }

    @Override
    public double repetitions() {
        return repetitions;
    }

    @Override
    public ChildBackend.Spec childBackend() {
        return new ChildBackend.Spec(childBackend,
                List.of(server.kind(), server.url(), server.user(), server.password(), namespace));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Set<Ability> abilities() {
        Set<Ability> all = EnumSet.complementOf(EnumSet.of(Ability.VIRTUAL_THREADS));
        if (!server.restarts()) {
            all.remove(Ability.RESTART_STORE);
        }
        if (server.port() == 0) {
            all.removeAll(EnumSet.of(Ability.NETWORK, Ability.PAUSE_STORE));
        }
        if (childBackend == null) {
            all.remove(Ability.CHILD_JVMS);
        }
        return all;
    }

    @Override
    public String listed(String lock) {
        return factory.listed(namespace, lock);
    }

    @Override
    public LockBackend backend(String owner) {
        return factory.backend(server, server.url(), namespace, owner, closeables::add);
    }

    @Override
    public Link.Linked linked(String owner) {
        if (server.port() == 0) {
            return ContractEnvironment.super.linked(owner);
        }
        FaultProxy proxy = FaultProxy.to(server.host(), server.port());
        proxies.add(proxy);
        LockBackend backend = factory.backend(server, server.url(proxy.host(), proxy.port()), namespace, owner,
                closeables::add);
        return new Link.Linked(backend, new ProxiedLink(proxy, lock -> factory.id(namespace, lock)));
    }

    @Override
    public void deleteGrant(String lock) {
        String id = factory.id(namespace, lock);
        execute("DELETE FROM quarkus_lock WHERE id = '" + id + "'",
                "DELETE FROM quarkus_lock_claim WHERE id = '" + id + "'");
    }

    @Override
    public void loseAllData() {
        String ours = "name LIKE '" + namespace + "%'";
        execute("DELETE FROM quarkus_lock_claim WHERE id IN (SELECT id FROM quarkus_lock WHERE " + ours + ")",
                "DELETE FROM quarkus_lock WHERE " + ours);
    }

    private void execute(String... statements) {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void restartStore() {
        server.restart();
    }

    @Override
    public void pauseStore() {
        paused = true;
        server.pause();
    }

    @Override
    public void resumeStore() {
        server.resume();
        paused = false;
    }

    @Override
    public List<String> leftovers() {
        List<String> left = new ArrayList<>();
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            add(left, statement, "SELECT name, token FROM quarkus_lock WHERE name LIKE '" + namespace
                    + "%' AND token IS NOT NULL AND expires > " + server.nowMicros());
            add(left, statement, "SELECT l.name, c.token FROM quarkus_lock l JOIN quarkus_lock_claim c ON c.id = l.id "
                    + "WHERE l.name LIKE '" + namespace + "%' AND c.expires > " + server.nowMicros());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return left;
    }

    private static void add(List<String> left, Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                left.add(rows.getString(1) + " " + rows.getString(2));
            }
        }
    }

    @Override
    public void close() throws Exception {
        proxies.forEach(FaultProxy::close);
        if (paused) { // otherwise it would, after each test, search all processes and wake each of the server's
            resumeStore();
        }
        for (AutoCloseable each : closeables) {
            each.close();
        }
    }
}
