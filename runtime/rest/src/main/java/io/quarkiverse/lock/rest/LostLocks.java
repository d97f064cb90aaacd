package io.quarkiverse.lock.rest;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import io.quarkiverse.lock.LockLostException;

/**
 * A lock was lost while the method ran: 409, unless configured otherwise. The build leaves it out if
 * {@code quarkus.lock.rest.enabled} is off.
 */
@Provider
@Priority(Problems.PRIORITY)
public class LostLocks implements ExceptionMapper<LockLostException> {

    /** Looked up late, in a class without a constructor: RESTEasy Classic instantiates it before there is any configuration. */
    @Inject
    Instance<Problems> problems;

    @Override
    public Response toResponse(LockLostException failure) {
        return problems.get().lost(failure);
    }
}
