package io.quarkiverse.lock.rest;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The header that says under which locks a request was made: {@code Lock-Fencing-Token: stock-7=1806066892926418944}, with
 * commas between several. Names are percent-encoded.
 *
 * <p>
 * {@link FencingTokenFilter} sets it. In the pipeline of a {@code Uni}, which a filter does not see, pass it as a parameter:
 *
 * <pre>{@code
 * &#64;PUT
 * Uni<Void> write(@HeaderParam(FencingTokenHeader.NAME) String tokens, int amount);
 *
 * lock.fencingTokensAsync().flatMap(tokens -> stock.write(FencingTokenHeader.of(tokens), 7));
 * }</pre>
 */
public final class FencingTokenHeader {

    /** The header's name. */
    public static final String NAME = "Lock-Fencing-Token";

    private FencingTokenHeader() {
    }

    /** The header's value for these tokens, by the names of their locks. */
    public static String of(Map<String, Long> tokens) {
        return tokens.entrySet().stream()
                .map(each -> URLEncoder.encode(each.getKey(), StandardCharsets.UTF_8) + '=' + each.getValue())
                .collect(Collectors.joining(", "));
    }

    /** @throws IllegalArgumentException if this is not such a header */
    static Map<String, Long> parse(List<String> values) {
        Map<String, Long> tokens = new LinkedHashMap<>();
        for (String value : values) {
            for (String part : value.split(",")) {
                int equals = part.indexOf('=');
                if (equals < 0) {
                    throw new IllegalArgumentException("no '=' in '" + part + "'");
                }
                String name = URLDecoder.decode(part.substring(0, equals).strip(), StandardCharsets.UTF_8);
                if (tokens.put(name, Long.valueOf(part.substring(equals + 1).strip())) != null) {
                    throw new IllegalArgumentException("two tokens of '" + name + "'");
                }
            }
        }
        return tokens;
    }
}
