package io.quarkiverse.lock.rest;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The header that says under which locks a request was made: {@code Lock-Fencing-Token: stock-7=1806066892926418944}, with
 * commas between several. Names are percent-encoded, as in a form; an unpaired surrogate, which that encoding would turn into
 * a question mark, is written as {@code %uD83D}.
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

    /** Not a percent-encoding of anything else. */
    private static final Pattern SURROGATE = Pattern.compile("%u([dD][89a-fA-F][0-9a-fA-F]{2})");

    private FencingTokenHeader() {
    }

    /** The header's value for these tokens, by the names of their locks. */
    public static String of(Map<String, Long> tokens) {
        return tokens.entrySet().stream()
                .map(each -> encoded(each.getKey()) + '=' + each.getValue())
                .collect(Collectors.joining(", "));
    }

    /** @throws IllegalArgumentException if this is not such a header */
    static Map<String, Long> parse(List<String> values) {
        Map<String, Long> tokens = new LinkedHashMap<>();
        for (String value : values) {
            for (String part : value.split(",")) {
                if (part.isBlank()) {
                    continue; // allowed in any list of a header
                }
                int equals = part.indexOf('=');
                if (equals < 0) {
                    throw new IllegalArgumentException("no '=' in '" + part + "'");
                }
                String name = decoded(part.substring(0, equals).strip());
                if (tokens.put(name, Long.valueOf(part.substring(equals + 1).strip())) != null) {
                    throw new IllegalArgumentException("two tokens of '" + name + "'");
                }
            }
        }
        return tokens;
    }

    private static String encoded(String name) {
        StringBuilder encoded = new StringBuilder();
        int from = 0; // where what has not been encoded yet begins
        int c;
        for (int i = 0; i < name.length(); i += Character.charCount(c)) {
            c = name.codePointAt(i);
            if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                encoded.append(URLEncoder.encode(name.substring(from, i), StandardCharsets.UTF_8))
                        .append(String.format("%%u%04X", c));
                from = i + 1;
            }
        }
        return encoded.append(URLEncoder.encode(name.substring(from), StandardCharsets.UTF_8)).toString();
    }

    private static String decoded(String name) {
        StringBuilder decoded = new StringBuilder();
        int from = 0;
        Matcher surrogate = SURROGATE.matcher(name);
        while (surrogate.find()) {
            decoded.append(URLDecoder.decode(name.substring(from, surrogate.start()), StandardCharsets.UTF_8))
                    .append((char) Integer.parseInt(surrogate.group(1), 16));
            from = surrogate.end();
        }
        return decoded.append(URLDecoder.decode(name.substring(from), StandardCharsets.UTF_8)).toString();
    }
}
