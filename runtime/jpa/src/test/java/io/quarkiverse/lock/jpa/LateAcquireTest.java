package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.NoNews;
import io.quarkiverse.lock.testkit.server.H2Database;

/**
 * The first request of a claim got no reply, the second was granted, and the first is executed after that grant has ended. Its
 * late grant belongs to nobody, and is withdrawn once such a request can no longer arrive.
 */
@Timeout(120)
class LateAcquireTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String NAME = "late";
    /** How long the first request may still be executed. */
    private static final Duration OPEN = Duration.ofHours(1);

    private static H2Database server;

    private final VirtualTime time = new VirtualTime();
    private Locks locks;
    private LockDatabase database;
    private JpaLockBackend backend;
    private String id;
    private JpaGrant grant;

    @BeforeAll
    static void start() {
        server = Databases.prepared(new H2Database());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        locks = new Locks(server);
        database = LockDatabase.of(locks.pool(4), Databases.sessions(server.kind()), null, Databases.OPTIONS);
        String namespace = "late-" + UUID.randomUUID();
        backend = new JpaLockBackend(database, namespace, "test");
        backend.start(new NoNews(), time);
        id = new LockNames(namespace).id(NAME);
        var claim = new Claim(NAME, 1, 2, LockMode.EXCLUSIVE, 0, SOON.toNanos(), false);
        grant = (JpaGrant) backend.acquire(claim).await().atMost(SOON);
        grant.attempts().sending(System.nanoTime() + OPEN.toNanos());
        grant.attempts().failedWithoutReply();
    }

    @AfterEach
    void close() throws Exception {
        database.detach(backend); // the backend would wait for the request
        locks.close();
    }

    private long rows(String condition) throws Exception {
        return locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE id = '" + id + "' AND " + condition);
    }

    private void loseTheRow() throws Exception {
        locks.execute("UPDATE quarkus_lock SET token = NULL, owner = NULL, expires = 0 WHERE id = '" + id + "'");
    }

    private void isTakenByNobody() throws Exception {
        Await.until("what is there now is withdrawn", SOON, () -> !backend.withdrawals().ongoing(id));
        Statements statements = database.statements();
        Object[] parameters = statements.grantParameters(id, grant.token(), "test", TimeUnit.HOURS.toMicros(1), Long.MAX_VALUE);
        boolean late = database.steps().call(database.steps().deadline(),
                connection -> database.dialect().grant(connection, statements.ofGrants, id, grant.token(), parameters) != null);
        assertThat(late).as("the late request was granted").isTrue();
        time.advance(OPEN.plusMinutes(1));
        Await.until("nobody has it", SOON, () -> rows("token IS NULL AND expires = 0") == 1);
    }

    @Test
    @Fault(517)
    void fault517_lateGrantIsWithdrawnAfterHoldAtLeastEnds() throws Exception {
        backend.releaseAfter(grant, TimeUnit.MILLISECONDS.toNanos(1)).await().atMost(SOON);
        Await.until("it is not kept any more", SOON, () -> rows("expires <= " + server.nowMicros()) == 1);
        isTakenByNobody();
    }

    @Test
    @Fault(517)
    void fault517_nameStaysTakenForHoldAtLeastTime() throws Exception {
        backend.releaseAfter(grant, TimeUnit.HOURS.toNanos(1)).await().atMost(SOON);
        Await.until("what is not kept is withdrawn", SOON, () -> !backend.withdrawals().ongoing(id));
        assertThat(rows("token IS NOT NULL AND expires > " + server.nowMicros())).isOne();
    }

    @Test
    @Fault(517)
    void fault517_lateGrantIsWithdrawnAfterForcedRelease() throws Exception {
        assertThat(backend.forceRelease(NAME).await().atMost(SOON)).isTrue();
        isTakenByNobody();
    }

    @Test
    @Fault(517)
    void fault517_lateGrantIsWithdrawnAfterFailedRenewal() throws Exception {
        loseTheRow();
        assertThat(backend.renew(List.of(grant)).await().atMost(SOON).lost()).hasSize(1);
        isTakenByNobody();
    }

    @Test
    @Fault(517)
    void fault517_lateGrantIsWithdrawnAfterFailedDowngrade() throws Exception {
        loseTheRow();
        assertThat(backend.downgrade(grant).await().atMost(SOON)).isFalse();
        isTakenByNobody();
    }
}
