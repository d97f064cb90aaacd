package io.quarkiverse.lock.zookeeper.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/**
 * How long the servers certainly keep a session of 30 seconds, with ticks of 2 seconds: 19 seconds from a request that the
 * leader has answered, but no longer than 30 seconds from the last one that it had heard of by then.
 */
@DisplayNameGeneration(FaultDisplayNames.class)
class SessionTest {

    private static final int TIMEOUT = 30_000;
    private static final int LEASE = 19_000;

    private final Session session = new Session(null, 1, ZooKeeperLockOptions.STANDARD,
            new NodeRoom(1_000_000, 0));

    @BeforeEach
    void connect() {
        session.negotiated(TIMEOUT, at(0), true);
    }

    /** Far from where the clock overflows. */
    private static long at(int millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis) - 1_000_000_000_000L;
    }

    private void heard(int millis) {
        session.heard(at(millis), at(millis + 10));
    }

    private void confirmed(int millis) {
        session.confirmed(at(millis), at(millis + 10));
    }

    private void assertKeptUntil(int millis) {
        assertThat(session.keptNanos(at(millis - LEASE))).isEqualTo(at(LEASE) - at(0));
        assertThat(session.begin(at(millis), at(LEASE) - at(0))).as("where a grant begins").isEqualTo(at(millis - LEASE));
    }

    @Test
    void sessionWithHeartbeatsIsKeptForTheWholeLease() {
        for (int beat = 0; beat <= 60_000; beat += 5_000) {
            heard(beat);
        }
        confirmed(60_500); // the leader does not know of the last beat yet
        assertKeptUntil(60_500 + LEASE);
        confirmed(65_000);
        assertKeptUntil(65_000 + LEASE);
    }

    @Test
    void busySessionIsKeptForTheWholeLease() {
        for (int request = 0; request <= 60_000; request += 20) {
            confirmed(request);
        }
        assertKeptUntil(60_000 + LEASE);
    }

    @Test
    @Fault(327)
    void fault327_shortSessionsWithoutAPauseKeepTheFullLease() {
        for (int timeout = 2_000; timeout <= 8_000; timeout += 500) {
            session.negotiated(timeout, at(0), true);
            int lease = timeout * 2 / 3 - 1_000;
            for (int millis = 1; millis < 20_000; millis++) {
                if (millis % (timeout / 6 + 10) == 0) {
                    heard(millis);
                }
                if (millis % (lease / 3) == 0) {
                    confirmed(millis);
                    assertThat(session.keptNanos(at(millis))).as("%d of %d ms", millis, timeout)
                            .isEqualTo(session.leaseNanos());
                }
            }
        }
    }

    @Test
    @Fault(327)
    void fault327_pauseIsSubtractedFromTheLease() {
        heard(0);
        heard(7_500);
        confirmed(22_500); // after 15 s
        assertKeptUntil(7_500 + TIMEOUT);
    }

    @Test
    @Fault(327)
    void fault327_pauseCountsUntilTheLeaderKnowsItIsOver() {
        heard(0);
        heard(7_500);
        confirmed(22_500);
        confirmed(23_000); // the server may not have reported the previous one to it
        assertKeptUntil(7_500 + TIMEOUT);
        confirmed(23_600);
        assertKeptUntil(23_600 + LEASE);
    }

    @Test
    @Fault(327)
    void fault327_pauseRightAfterConnectingIsSubtracted() {
        confirmed(20_000);
        assertKeptUntil(TIMEOUT);
    }

    @Test
    @Fault(327)
    void fault327_existingConnectionIsKnownOnlyByItsPings() {
        session.negotiated(TIMEOUT, at(5_000), false);
        confirmed(5_500);
        assertKeptUntil(5_000 + LEASE);
        confirmed(7_000);
        assertKeptUntil(7_000 + LEASE);
    }
}
