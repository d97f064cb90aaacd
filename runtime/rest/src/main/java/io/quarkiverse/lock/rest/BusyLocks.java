package io.quarkiverse.lock.rest;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import io.quarkiverse.lock.LockBusyException;
import io.quarkus.arc.properties.IfBuildProperty;

/** A lock was busy: 423, unless configured otherwise. */
@Provider
@Priority(Problems.PRIORITY)
@IfBuildProperty(name = "quarkus.lock.rest.enabled", stringValue = "true", enableIfMissing = true)
public class BusyLocks implements ExceptionMapper<LockBusyException> {

    /** Looked up late, in a class without a constructor: RESTEasy Classic instantiates it before there is any configuration. */
    @Inject
    Instance<Problems> problems;

    @Override
    public Response toResponse(LockBusyException failure) {
        return problems.get().busy(failure);
    }
}
