package io.quarkiverse.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

class ScriptArgumentsTest {

    @Test
    void keyContainsFormatVersion() {
        assertThat(key("quarkus-lock", "order-42")).isEqualTo("lock:1:{quarkus-lock:order-42}");
    }

    @Test
    void delimitersAreEscapedInKeys() {
        assertThat(key("a:b%", "{c}:%")).isEqualTo("lock:1:{a%3ab%25:%7bc%7d:%25}");
    }

    @Test
    void distinctNamesHaveDistinctKeyBytes() {
        var random = new Random(42);
        String alphabet = "a:{}%7bdu\ud800\ud801\udc00\u00e9?|";
        var seen = new HashMap<String, String>();
        for (int i = 0; i < 200_000; i++) {
            String namespace = word(random, alphabet);
            String name = word(random, alphabet);
            String key = key(namespace, name);
            String bytes = new String(key.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            String pair = namespace + '\0' + name;
            assertThat(seen.getOrDefault(bytes, pair)).isEqualTo(pair);
            seen.put(bytes, pair);
            assertThat(arguments(namespace).name(key)).isEqualTo(name);
            assertThat(key.indexOf('}')).as("one hash tag that spans the rest of the key").isEqualTo(key.length() - 1);
        }
    }

    private static String key(String namespace, String name) {
        return arguments(namespace).key(name);
    }

    private static ScriptArguments arguments(String namespace) {
        return new ScriptArguments(RedisLockOptions.STANDARD, namespace, "test");
    }

    @Test
    void foreignKeysHaveNoName() {
        ScriptArguments ours = arguments("a");
        for (String key : List.of("", "lock:1:{a:", "lock:1:{a:}", "lock:1:{b:x}", "lock:1:{a:b", "lock:1:{a:%}",
                "lock:1:{a:%7}",
                "lock:1:{a:%zz}", "lock:1:{a:%ud8}", "lock:2:{a:x}")) {
            assertThat(ours.name(key)).as(key).isNull();
        }
    }

    private static String word(Random random, String alphabet) {
        var word = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            word.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return word.toString();
    }

    @Test
    void invalidOptionsNameTheirProperty() {
        assertThatThrownBy(() -> new RedisLockOptions("a{b", Duration.ofSeconds(1), Duration.ofSeconds(1), false, ""))
                .hasMessageContaining("quarkus.lock.redis.key-prefix");
        assertThatThrownBy(() -> new RedisLockOptions("a", Duration.ZERO, Duration.ofSeconds(1), false, ""))
                .hasMessageContaining("quarkus.lock.redis.operation-timeout");
        assertThatThrownBy(() -> new RedisLockOptions("a", Duration.ofSeconds(1), Duration.ofSeconds(-1), false, ""))
                .hasMessageContaining("quarkus.lock.redis.retention");
    }
}
