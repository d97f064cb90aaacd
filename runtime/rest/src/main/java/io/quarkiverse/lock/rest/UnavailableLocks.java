package io.quarkiverse.lock.rest;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import io.quarkiverse.lock.LockBackendException;

/**
 * The locks' store was unreachable: 503, unless configured otherwise. The build leaves it out if
 * {@code quarkus.lock.rest.enabled} is off.
 */
@Provider
@Priority(Problems.PRIORITY)
public class UnavailableLocks implements ExceptionMapper<LockBackendException> {

    /** Looked up late, in a class without a constructor: RESTEasy Classic instantiates it before there is any configuration. */
    @Inject
    Instance<Problems> problems;

    @Override
    public Response toResponse(LockBackendException failure) {
        return problems.get().unavailable(failure);
    }
}
