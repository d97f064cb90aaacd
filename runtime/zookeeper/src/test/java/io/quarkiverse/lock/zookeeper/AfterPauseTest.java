package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** A JVM that gets a lock right after a while without any request to the servers. */
class AfterPauseTest extends ZooKeeperTest {

    private static final String NAME = "order-42";
    private static final Duration SESSION = Duration.ofSeconds(30);
    /** So long that a test takes less than half of it. */
    private static final Duration TICK = Duration.ofSeconds(16);

    private final Requests requests = new Requests();

    private Jvm connected(Duration session, Duration tick) {
        var client = requests.client(server.connectString(), session);
        Jvm jvm = opened(new Jvm(client, options().withTickTime(tick), client::close));
        jvm.release(jvm.grant("first"));
        return jvm;
    }

    /** As if the last request had been this long ago. */
    private static void pause(Jvm jvm, Duration pause) {
        jvm.time.aheadNanos += pause.toNanos();
    }

    /** If its server is now cut off from the others, the leader has not heard that the JVM is back. */
    @Test
    @Fault(327)
    void fault327_grantAfterAPauseEndsBeforeTheSession() {
        Jvm jvm = connected(SESSION, TICK);
        long before = jvm.time.nanoTime();
        pause(jvm, Duration.ofSeconds(20));
        ZooKeeperGrant grant = jvm.grant(NAME);
        assertThat(Duration.ofNanos(grant.endsAt() - before)).isLessThanOrEqualTo(SESSION);
        assertThat(grant.sentAt() + grant.leaseNanos()).as("the end that the engine sees").isEqualTo(grant.endsAt());
        jvm.release(grant);
    }

    @Test
    @Fault(327)
    void fault327_renewalCountsOnceTheLeaderKnowsThePauseIsOver() {
        Jvm jvm = connected(SESSION, TICK);
        pause(jvm, Duration.ofSeconds(20));
        ZooKeeperGrant grant = jvm.grant(NAME);
        long end = grant.endsAt();
        assertThat(jvm.renew(grant).unknown()).as("before the leader knows").hasSize(1);
        assertThat(grant.endsAt()).isEqualTo(end);
        pause(jvm, TICK.dividedBy(2));
        assertThat(jvm.renew(grant).renewed()).as("half a tick later").hasSize(1);
        assertThat(grant.endsAt()).isGreaterThan(end);
        jvm.release(grant);
    }

    /** Renewed for as long as the leader is sure to keep the session: it must not be lost because the rest is uncertain. */
    @Test
    @Fault(327)
    void fault327_leaseThatOutlivesAPauseIsRenewedForTheCertainTime() {
        Jvm jvm = connected(SESSION, Duration.ofSeconds(4));
        ZooKeeperGrant grant = jvm.grant(NAME);
        long end = grant.endsAt();
        pause(jvm, Duration.ofSeconds(17));
        assertThat(jvm.renew(grant).renewed()).hasSize(1);
        assertThat(grant.endsAt()).isGreaterThan(end);
        jvm.release(grant);
    }

    /** Only waiting half a tick helps. */
    @Test
    @Fault(327)
    void fault327_grantAfterALongPauseWaitsForTheLeader() {
        Jvm jvm = connected(SESSION, Duration.ofSeconds(1));
        pause(jvm, Duration.ofSeconds(25));
        ZooKeeperGrant grant = jvm.grant(NAME);
        assertThat(grant.endsAt() - jvm.time.nanoTime()).as("what is left of its lease")
                .isGreaterThan(Duration.ofSeconds(10).toNanos());
        assertThat(requests.sent().stream().filter(("sync " + root + '/' + NAME)::equals)).as("requests meanwhile")
                .hasSizeBetween(1, 15);
        jvm.release(grant);
    }

    /** Otherwise its next lock would count as one after a pause. */
    @Test
    @Fault(327)
    void fault327_idleJvmSendsHeartbeats() {
        connected(Duration.ofSeconds(4), options().tickTime());
        long asked = requests.count("exists");
        Await.until("it asks for something again", SOON, () -> requests.count("exists") >= asked + 2);
    }
}
