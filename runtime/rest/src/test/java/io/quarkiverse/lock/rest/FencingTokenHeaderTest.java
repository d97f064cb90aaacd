package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FencingTokenHeaderTest {

    @Test
    void writtenTokensAreParsedBack() {
        Map<String, Long> tokens = new LinkedHashMap<>();
        tokens.put("stock-7", 1_763_737_200_123_456L);
        tokens.put("a=b, c%2C \r\nX: y", 1L);
        tokens.put("ünï-鍵", Long.MAX_VALUE);
        String value = FencingTokenHeader.of(tokens);
        assertThat(value).isPrintable().isASCII();
        assertThat(FencingTokenHeader.parse(List.of(value))).isEqualTo(tokens);
        assertThat(FencingTokenHeader.parse(List.of("a=1", " b = 2 ,c=3"))).isEqualTo(Map.of("a", 1L, "b", 2L, "c", 3L));
        assertThat(FencingTokenHeader.parse(List.of())).isEmpty();
    }

    /** UTF-8 cannot encode half of an emoji, where a name may have been cut. */
    @Test
    void fault481_unpairedSurrogatesKeepNamesDistinct() {
        Map<String, Long> tokens = new LinkedHashMap<>();
        tokens.put("a?", 1L);
        tokens.put("a\ud83d", 2L);
        tokens.put("a\ud83e", 3L);
        tokens.put("\ude00%uD83D\ud83d\ude00\ud83d b", 4L);
        String value = FencingTokenHeader.of(tokens);
        assertThat(value).isPrintable().isASCII();
        assertThat(FencingTokenHeader.parse(List.of(value))).isEqualTo(tokens);
        assertThat(FencingTokenHeader.parse(List.of("a%ud83d=7"))).isEqualTo(Map.of("a\ud83d", 7L));
    }

    /** As everywhere in HTTP, such a header is empty, and the request is rejected for the missing token. */
    @ParameterizedTest
    @ValueSource(strings = { "", " ", ",", " , ,\t" })
    void blankPartsAreSkipped(String value) {
        assertThat(FencingTokenHeader.parse(List.of(value))).isEmpty();
        assertThat(FencingTokenHeader.parse(List.of(value + ",a=1," + value + ",b=2"))).isEqualTo(Map.of("a", 1L, "b", 2L));
    }

    @ParameterizedTest
    @ValueSource(strings = { "a", "a=", "a=x", "a=1,a=2", "a=1;b=2", "%=1", "a=99999999999999999999",
            "%u0041=1", "%uD83=1", "%%uD83D=1", "a%uD83D=1,a%ud83d=2" })
    void malformedHeadersAreRejected(String value) {
        assertThatThrownBy(() -> FencingTokenHeader.parse(List.of(value))).isInstanceOf(IllegalArgumentException.class);
    }
}
