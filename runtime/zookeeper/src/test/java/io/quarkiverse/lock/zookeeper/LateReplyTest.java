package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** Replies that arrive when the caller no longer waits for them. */
class LateReplyTest extends ZooKeeperTest {

    @Test
    @Fault(298)
    void fault298_lateReplyDoesNotChangeATimedOutRenewal() {
        var requests = new Requests();
        var client = requests.client(server.connectString(), LONG_SESSION);
        Jvm jvm = opened(new Jvm(client, options().withOperationTimeout(Duration.ofSeconds(2)), client::close));
        ZooKeeperGrant soon = jvm.grant("soon");
        ZooKeeperGrant late = jvm.grant("late");
        ZooKeeperGrant gone = jvm.grant("gone");
        requests.hold(request -> request.startsWith("watchData") && !request.contains("soon"));
        var renewal = jvm.renew(soon, late, gone);
        assertThat(renewal.renewed()).isEqualTo(List.of(soon));
        assertThat(renewal.lost()).isEmpty();
        assertThat(renewal.unknown()).isEqualTo(List.of(late, gone));
        deleteNode(gone.path());
        requests.letGo();
        var next = jvm.renew(late, gone); // their replies come after the late ones
        assertThat(renewal.renewed()).as("each grant in one list").isEqualTo(List.of(soon));
        assertThat(renewal.lost()).isEmpty();
        assertThat(next.renewed()).isEqualTo(List.of(late));
        assertThat(next.lost()).isEqualTo(List.of(gone));
        jvm.release(soon);
        jvm.release(late);
    }
}
