package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.engine.queue.Claims;

class ClaimTokensTest {

    private final Claims.Tokens tokens = new Claims.Tokens(false);

    private String next() {
        byte[] bytes = new byte[16];
        tokens.draw(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void drawFillsAllBytes() {
        Set<String> halves = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            String next = next();
            halves.add(next.substring(0, 16));
            halves.add(next.substring(16));
        }
        assertThat(halves).hasSize(200);
        tokens.close();
    }

    @Test
    void drawWorksAfterClose() {
        String before = next();
        tokens.close();
        tokens.close();
        assertThat(next()).isNotEqualTo(before);
        tokens.close();
    }

    @Test
    void concurrentCloseDoesNotBreakDraws() {
        Set<String> all = ConcurrentHashMap.newKeySet();
        IntStream.range(0, 2_000).parallel().forEach(i -> {
            if (i % 50 == 0) {
                tokens.close();
            }
            all.add(next());
        });
        assertThat(all).hasSize(2_000);
        tokens.close();
    }
}
