package io.quarkiverse.lock.zookeeper.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

/** Which of its nodes a claim looks for whose creation had no reply: servers list children in no order. */
class NodePathsTest {

    private static final String PREFIX = "/root/name/_c_11111111-2222-3333-4444-555555555555-__WRIT__";

    @Test
    void nodeOfAnEarlierSessionIsNotTaken() {
        assertThat(NodePaths.latest("/root/name", List.of(
                "_c_11111111-2222-3333-4444-555555555555-__WRIT__0000000099",
                "_c_11111111-2222-3333-4444-555555555555-__WRIT__0000000100",
                "_c_11111111-2222-3333-4444-555555555555-__WRIT__0000000007"), PREFIX)).isEqualTo(PREFIX + "0000000100");
    }

    @Test
    void nodesOfOtherClaimsAreNotTaken() {
        assertThat(NodePaths.latest("/root/name", List.of(
                "_c_99999999-2222-3333-4444-555555555555-__WRIT__0000000100"), PREFIX)).isNull();
    }
}
