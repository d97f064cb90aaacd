package io.quarkiverse.lock.zookeeper.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;

/** Which of its nodes a claim looks for after a creation without a reply: servers list children in no order. */
class NodePathsTest {

    private static final String PREFIX = "/root/name/_c_11111111-2222-3333-4444-555555555555-__WRIT__";

    @Test
    void nodeOfAnEarlierSessionIsNotAdopted() {
        assertThat(NodePaths.latest("/root/name", List.of(
                "_c_11111111-2222-3333-4444-555555555555-__WRIT__0000000099",
                "_c_11111111-2222-3333-4444-555555555555-__WRIT__0000000100",
                "_c_11111111-2222-3333-4444-555555555555-__WRIT__0000000007"), PREFIX)).isEqualTo(PREFIX + "0000000100");
    }

    @Test
    void nodesOfOtherClaimsAreNotAdopted() {
        assertThat(NodePaths.latest("/root/name", List.of(
                "_c_99999999-2222-3333-4444-555555555555-__WRIT__0000000100"), PREFIX)).isNull();
    }

    @Test
    void recipeNodesNeverLookLikeOurs() {
        assertThat(NodePaths.surelyOurs("_c_11111111-2222-3333-4444-555555555555-__WRIT__0000000099")).isTrue();
        assertThat(NodePaths.surelyOurs("_c_11111111-2222-4333-4444-555555555555-__WRIT__0000000099")).isTrue();
        assertThat(NodePaths.surelyOurs("_c_11111111-2222-4333-8444-555555555555-__WRIT__0000000099")).isFalse();
        assertThat(NodePaths.surelyOurs("__WRIT__0000000099")).isFalse();
        assertThat(NodePaths.surelyOurs("11111111-2222-3333-4444-555555555555-and-more-__WRIT__0000000099")).isFalse();
        for (int i = 0; i < 1000; i++) {
            assertThat(NodePaths.surelyOurs("_c_" + UUID.randomUUID() + "-lock-0000000000")).isFalse();
        }
    }

    @Test
    void encodedNamesDecodeToTheOriginal() {
        for (String name : List.of("a", ".", "..", "...", "a/b", "%41", "%", "\u00e4", "\u20ac", "\ud83d\ude00", "\ud83d",
                "\ude00\ud83d", "\0", "x\n", "a b")) {
            assertThat(NodePaths.decode(NodePaths.encode(name))).isEqualTo(name);
        }
    }

    @Test
    void invalidEncodingsDecodeToNull() {
        for (String encoded : List.of("%", "%4", "%41", "%zz", "%C3", "%C3%", "%C3a", "%FF", "%F8%80%80%80", "%F7%BF%BF%BF",
                "%c3%a4", "%C0%80")) {
            assertThat(NodePaths.decode(encoded)).as(encoded).isNull();
        }
    }
}
