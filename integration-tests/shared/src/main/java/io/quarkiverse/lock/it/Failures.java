package io.quarkiverse.lock.it;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;

import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockLostException;
import io.quarkus.runtime.BlockingOperationNotAllowedException;

/** The answers that a client gets. */
class Failures {

    private static final int LOCKED = 423;

    @ServerExceptionMapper
    Response busy(LockBusyException e) {
        return Response.status(LOCKED).entity(e.getMessage()).build();
    }

    @ServerExceptionMapper
    Response lost(LockLostException e) {
        return Response.status(Status.CONFLICT).entity(e.getMessage()).build();
    }

    @ServerExceptionMapper
    Response unavailable(LockBackendException e) {
        return Response.status(Status.SERVICE_UNAVAILABLE).entity(e.getMessage()).build();
    }

    @ServerExceptionMapper
    Response onEventLoop(BlockingOperationNotAllowedException e) {
        return Response.status(Status.NOT_IMPLEMENTED).entity(e.getMessage()).build();
    }

    @ServerExceptionMapper
    Response misuse(IllegalArgumentException e) {
        return Response.status(Status.BAD_REQUEST).entity(e.getMessage()).build();
    }
}
