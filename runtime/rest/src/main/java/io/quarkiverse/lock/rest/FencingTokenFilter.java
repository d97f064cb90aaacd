package io.quarkiverse.lock.rest;

import java.util.Map;

import jakarta.inject.Singleton;
import jakarta.ws.rs.client.ClientRequestContext;
import jakarta.ws.rs.client.ClientRequestFilter;

import io.quarkiverse.lock.CurrentLock;
import io.quarkus.arc.Unremovable;

/**
 * Sends the fencing tokens of the locks whose scopes the calling thread is in, in the header {@link FencingTokenHeader#NAME}.
 *
 * For one client: {@code @RegisterProvider(FencingTokenFilter.class)} on the interface that has {@code @RegisterRestClient}.
 *
 * Outside of any scope, where locks are switched off, and where the header is set already, it changes nothing: it is for the
 * server to refuse a request without a token.
 */
@Singleton
@Unremovable
public class FencingTokenFilter implements ClientRequestFilter {

    private final CurrentLock lock;

    FencingTokenFilter(CurrentLock lock) {
        this.lock = lock;
    }

    @Override
    public void filter(ClientRequestContext request) {
        if (request.getHeaders().containsKey(FencingTokenHeader.NAME)) {
            return;
        }
        Map<String, Long> tokens = lock.fencingTokens();
        if (!tokens.isEmpty()) {
            request.getHeaders().putSingle(FencingTokenHeader.NAME, FencingTokenHeader.of(tokens));
        }
    }
}
