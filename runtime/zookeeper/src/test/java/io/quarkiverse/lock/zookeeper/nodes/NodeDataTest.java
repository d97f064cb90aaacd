package io.quarkiverse.lock.zookeeper.nodes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeDataTest {

    @Test
    void creatorOfANodeStaysKnownAfterARequestForRelease() {
        byte[] asked = NodeData.ask(NodeData.of("shop", 30_000));
        assertThat(NodeData.asked(asked)).isTrue();
        assertThat(NodeData.of(asked)).isEqualTo(new NodeData("shop", 30_000));
    }

    /** Its recipes understand nothing else. */
    @Test
    void dataOfACuratorNodeBecomesTheRequestAlone() {
        for (String others : new String[] { "10.0.0.7", "", "two\nlines", "a line\n", "an end\n0" }) {
            assertThat(new String(NodeData.ask(others.getBytes(UTF_8)), UTF_8)).as(others).isEqualTo("__REVOKE__");
        }
        assertThat(new String(NodeData.ask(null), UTF_8)).isEqualTo("__REVOKE__");
    }
}
