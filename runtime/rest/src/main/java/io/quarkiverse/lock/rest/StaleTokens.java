package io.quarkiverse.lock.rest;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import io.quarkiverse.lock.StaleTokenException;

/** Tells a client that it has been overtaken: 412, also if {@code quarkus.lock.rest.enabled} is off. */
@Provider
@Priority(Problems.PRIORITY)
public class StaleTokens implements ExceptionMapper<StaleTokenException> {

    /** Looked up late, see {@link BusyLocks}. */
    @Inject
    Instance<Problems> problems;

    @Override
    public Response toResponse(StaleTokenException stale) {
        return problems.get().stale(stale);
    }
}
