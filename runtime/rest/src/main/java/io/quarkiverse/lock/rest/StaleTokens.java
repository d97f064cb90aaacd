package io.quarkiverse.lock.rest;

import jakarta.annotation.Priority;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import io.quarkiverse.lock.StaleTokenException;

/** Tells a client that it has been overtaken: 412, with the reason as text. */
@Provider
@Priority(Problems.PRIORITY)
public class StaleTokens implements ExceptionMapper<StaleTokenException> {

    @Override
    public Response toResponse(StaleTokenException stale) {
        return Response.status(Status.PRECONDITION_FAILED).type(MediaType.TEXT_PLAIN_TYPE).entity(stale.getMessage()).build();
    }
}
