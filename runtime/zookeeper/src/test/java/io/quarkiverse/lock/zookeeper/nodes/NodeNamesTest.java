package io.quarkiverse.lock.zookeeper.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import org.apache.curator.utils.PathUtils;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

class NodeNamesTest {

    @Test
    void plainNamesAreNotEscaped() {
        assertThat(NodePaths.encode("Order-42_a.b")).isEqualTo("Order-42_a.b");
        assertThat(NodePaths.encode("...")).isEqualTo("...");
    }

    @Test
    void otherCharactersAreEscapedByteByByte() {
        assertThat(NodePaths.encode("a/b")).isEqualTo("a%2Fb");
        assertThat(NodePaths.encode("100%")).isEqualTo("100%25");
        assertThat(NodePaths.encode("ä€😀")).isEqualTo("%C3%A4%E2%82%AC%F0%9F%98%80");
        assertThat(NodePaths.encode("a b+c")).isEqualTo("a%20b%2Bc");
        assertThat(NodePaths.encode("\0")).isEqualTo("%00");
    }

    @Test
    void singleAndDoubleDotsAreEscaped() {
        assertThat(NodePaths.encode(".")).isEqualTo("%2E");
        assertThat(NodePaths.encode("..")).isEqualTo("%2E%2E");
    }

    @Test
    @Fault(63)
    void fault63_noTwoNamesShareANode() {
        var random = new Random(42);
        Map<String, String> nameOf = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            var name = new StringBuilder();
            int length = 1 + random.nextInt(4);
            for (int c = 0; c < length; c++) {
                name.append((char) switch (random.nextInt(5)) {
                    case 0 -> "%.-_/2Eab".charAt(random.nextInt(9));
                    case 1 -> 0xD800 + random.nextInt(0x800);
                    case 2 -> random.nextInt(0x10000);
                    default -> random.nextInt(128);
                });
            }
            String encoded = NodePaths.encode(name.toString());
            PathUtils.validatePath("/" + encoded);
            assertThat(nameOf.putIfAbsent(encoded, name.toString())).as(encoded).isIn(null, name.toString());
        }
    }

    @Test
    void namesWithUtf8CanBeDecoded() {
        String name = "Straße/α β\t%41";
        assertThat(URLDecoder.decode(NodePaths.encode(name), StandardCharsets.UTF_8)).isEqualTo(name);
    }

    @Test
    void rootHasOneLevelPerNamespace() {
        assertThat(ZooKeeperLockOptions.rootOf("shop/eu")).isEqualTo("/shop%2Feu");
        assertThatThrownBy(() -> ZooKeeperLockOptions.STANDARD.withRoot("/")).hasMessageContaining(
                "quarkus.lock.zookeeper.root");
        assertThatThrownBy(() -> ZooKeeperLockOptions.STANDARD.withRoot("no/path")).isInstanceOf(
                IllegalArgumentException.class);
    }
}
