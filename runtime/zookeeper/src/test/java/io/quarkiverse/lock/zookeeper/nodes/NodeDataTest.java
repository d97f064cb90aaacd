package io.quarkiverse.lock.zookeeper.nodes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;

class NodeDataTest {

    @Test
    void creatorOfANodeStaysKnownAfterARequestForRelease() {
        byte[] asked = NodeData.ask(NodeData.of("shop", 30_000));
        assertThat(NodeData.asked(asked)).isTrue();
        assertThat(NodeData.of(asked)).isEqualTo(new NodeData("shop", 30_000, false, null));
    }

    /** Curator's recipes understand nothing else. */
    @Test
    void requestReplacesTheDataOfACuratorNode() {
        for (String others : new String[] { "10.0.0.7", "", "two\nlines", "a line\n", "an end\n0" }) {
            assertThat(new String(NodeData.ask(others.getBytes(UTF_8)), UTF_8)).as(others).isEqualTo("__REVOKE__");
        }
        assertThat(new String(NodeData.ask(null), UTF_8)).isEqualTo("__REVOKE__");
    }

    @Test
    @Fault(130)
    void fault130_sharingIsMarkedBesideOtherData() {
        byte[] made = NodeData.of("shop", 30_000);
        assertThat(NodeData.of(made).shared()).isFalse();
        assertThat(NodeData.of(NodeData.share(made, false))).isEqualTo(new NodeData("shop", 30_000, true, null));
        assertThat(NodeData.asked(NodeData.share(made, false))).isFalse();
        for (byte[] both : new byte[][] { NodeData.share(made, true), NodeData.ask(NodeData.share(made, false)) }) {
            assertThat(NodeData.of(both)).isEqualTo(new NodeData("shop", 30_000, true, null));
            assertThat(NodeData.asked(both)).isTrue();
        }
        for (String others : new String[] { "10.0.0.7\n__SHARED__", "\n__SHARED__", "__SHARED__", "a\nb\n__SHARED__" }) {
            assertThat(NodeData.of(others.getBytes(UTF_8)).shared()).as(others).isFalse();
        }
    }

    @Test
    void waiterCanNoteWhatItHolds() {
        byte[] made = NodeData.of("shop", 30_000);
        NodeData noted = new NodeData("shop", 30_000, false, "1;7 0 X\"@ !");
        assertThat(NodeData.of(made).note()).isNull();
        assertThat(NodeData.of(NodeData.note(made, "1;7 0 X\"@ !"))).isEqualTo(noted);
        byte[] asked = NodeData.ask(NodeData.note(made, "1;7 0 X\"@ !"));
        assertThat(NodeData.asked(asked)).isTrue();
        assertThat(NodeData.of(asked)).isEqualTo(noted);
        assertThat(NodeData.of("10.0.0.7\n__NOTE__ x".getBytes(UTF_8)).note()).isNull();
    }
}
