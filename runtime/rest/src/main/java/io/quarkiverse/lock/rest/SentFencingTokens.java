package io.quarkiverse.lock.rest;

import java.util.List;
import java.util.Map;

import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.ws.rs.ClientErrorException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.text.PrintableName;

/**
 * The fencing tokens that came with the current request. Injectable in a server:
 *
 * <pre>{@code
 * &#64;PUT
 * &#64;Path("/stock/{id}")
 * &#64;Transactional
 * void write(String id, int amount) throws SQLException {
 *     try (Connection connection = dataSource.getConnection()) {
 *         guard.check(connection, "stock-" + id, tokens.of("stock-" + id)); // a FencingGuard
 *         ...
 *     }
 * }
 * }</pre>
 *
 * It only reads the header. Whether a token is stale is decided by a {@link io.quarkiverse.lock.FencingGuard} in the
 * transaction that writes, or by a column next to the data; its {@link io.quarkiverse.lock.StaleTokenException} becomes the
 * answer 412.
 */
@RequestScoped
public class SentFencingTokens {

    private static final int BAD_REQUEST = 400;
    private static final int PRECONDITION_REQUIRED = 428;

    private final Instance<HttpHeaders> headers;
    private final Problems problems;
    private @Nullable Map<String, Long> tokens;

    /** @param headers of the request; looked up late, because an application may have clients only */
    SentFencingTokens(Instance<HttpHeaders> headers, Problems problems) {
        this.headers = headers;
        this.problems = problems;
    }

    /**
     * The token of the lock of this name.
     *
     * @throws ClientErrorException if the request has none, which is answered with 428, or if its header cannot be read: 400;
     *         its message names the lock, the answer does so only with {@code quarkus.lock.rest.details=true}
     */
    public long of(String name) {
        Long token = tokens().get(name);
        if (token == null) {
            throw refusal(PRECONDITION_REQUIRED, lacks("the lock it needs"), lacks("lock '" + name + "'"));
        }
        return token;
    }

    private Map<String, Long> tokens() {
        Map<String, Long> known = tokens;
        if (known == null) {
            List<String> values = headers.get().getRequestHeader(FencingTokenHeader.NAME);
            try {
                known = FencingTokenHeader.parse(values == null ? List.of() : values);
            } catch (IllegalArgumentException e) {
                String why = "The header " + FencingTokenHeader.NAME + " must look like 'name=1, other=2': " + e.getMessage();
                throw refusal(BAD_REQUEST, why, why);
            }
            tokens = known;
        }
        return known;
    }

    private static String lacks(String lock) {
        return "The request is refused: it has no fencing token of " + lock + ". Send it from inside that lock, in the header "
                + FencingTokenHeader.NAME;
    }

    private ClientErrorException refusal(int status, String brief, String detailed) {
        String answer = PrintableName.oneLine(problems.text(brief, detailed));
        var refusal = new ClientErrorException(PrintableName.oneLine(detailed),
                Response.status(status).type(MediaType.TEXT_PLAIN_TYPE).entity(answer).build());
        Problems.log(status, refusal);
        return refusal;
    }
}
