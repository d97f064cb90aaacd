package io.quarkiverse.lock.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;

/** A call that does not wait is not refused because of a node that has gone in the meantime. */
@Execution(ExecutionMode.CONCURRENT)
class RefusedTriesTest extends ZooKeeperTest {

    private final FaultProxy proxy = proxy();
    private Jvm slow;

    /** Its answers arrive long after they were true. */
    @BeforeEach
    void connect() {
        var client = opened(Clients.started(proxy.host() + ":" + proxy.port(), LONG_SESSION));
        slow = opened(new Jvm(client, options().withOperationTimeout(SOON), () -> {
        }));
        slow.release(slow.grant("order-42"));
        proxy.delayReplies(Duration.ofSeconds(3));
    }

    @Test
    void attemptIsGrantedALockReleasedMeanwhile() {
        Jvm other = jvm();
        ZooKeeperGrant held = other.grant("order-42");
        var trying = slow.claim("order-42", LockMode.EXCLUSIVE, false);
        awaitNodes("order-42", 2);
        other.release(held);
        assertThat(trying.grant().session()).isSameAs(slow.backend.parts().sessions().usable());
        awaitNodes("order-42", 1);
    }

    @Test
    void readerIsNotRefusedBecauseOfAWriterThatHasGivenUp() throws Exception {
        Jvm reader = jvm();
        reader.claim("order-42", LockMode.SHARED, true).grant();
        String refused = store.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
                .forPath(root + "/order-42/_c_00000000-0000-0000-0000-000000000000-__WRIT__");
        var trying = slow.claim("order-42", LockMode.SHARED, false);
        awaitNodes("order-42", 3);
        deleteNode(refused);
        trying.grant();
        awaitNodes("order-42", 2);
    }

    /** The waiter holds it now, or soon will: the previous holder is no longer known. */
    @Test
    void busyAnswerNamesTheWriterOnceTheHolderIsGone() throws Exception {
        Jvm reader = jvm();
        ZooKeeperGrant held = reader.claim("order-42", LockMode.SHARED, true).grant();
        store.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(
                root + "/order-42/_c_00000000-0000-0000-0000-000000000000-__WRIT__", "the writer".getBytes(UTF_8));
        var trying = slow.claim("order-42", LockMode.SHARED, false);
        awaitNodes("order-42", 3);
        reader.release(held);
        assertThat(Jvm.get(trying.answer)).isEqualTo(new Busy("the writer, which waited for it a moment ago"));
        awaitNodes("order-42", 1);
    }

    @Test
    void attemptIsBusyWhileTheLockIsHeld() {
        Jvm other = jvm();
        other.grant("order-42");
        assertThat(Jvm.get(slow.claim("order-42", LockMode.EXCLUSIVE, false).answer)).isInstanceOf(Busy.class);
        assertThat(nodes("order-42")).as("gone when the answer is there").hasSize(1);
    }
}
