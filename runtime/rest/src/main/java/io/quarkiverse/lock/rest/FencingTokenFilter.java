package io.quarkiverse.lock.rest;

import java.util.Map;

import jakarta.annotation.Priority;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.client.ClientRequestContext;
import jakarta.ws.rs.client.ClientRequestFilter;

import io.quarkiverse.lock.CurrentLock;
import io.quarkus.arc.Unremovable;

/**
 * Sends the fencing tokens of the locks whose scopes the calling thread is in, in the header {@link FencingTokenHeader#NAME}.
 *
 * <p>
 * For one client: {@code @RegisterProvider(FencingTokenFilter.class)} on the interface that has {@code @RegisterRestClient}.
 *
 * <p>
 * It sends nothing outside any scope, with locks switched off, or if the request already has the header. The server must refuse
 * requests that need a token and have none.
 *
 * <p>
 * It comes before filters of {@link Priorities#AUTHENTICATION}: those of OIDC may continue on another thread, which is in no
 * scope.
 */
@Priority(Priorities.AUTHENTICATION - 100)
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
