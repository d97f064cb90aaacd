package io.quarkiverse.lock.runtime.method;

import java.util.Set;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.InvocationContext;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validator;

import io.quarkus.hibernate.validator.runtime.jaxrs.ResteasyReactiveViolationException;

/**
 * Hibernate Validator. Part of the application only if that is. Its own interceptor is inside the lock, since a method's result
 * must be validated before the transaction commits, so parameters are validated there once more.
 */
@Singleton
public class HibernateValidatorParameters implements ParameterValidation {

    private final Instance<Validator> validator;

    @Inject
    public HibernateValidatorParameters(Instance<Validator> validator) {
        this.validator = validator;
    }

    @Override
    public void check(InvocationContext invocation, ValidationKind kind) {
        Set<ConstraintViolation<Object>> violations = validator.get().forExecutables()
                .validateParameters(invocation.getTarget(), invocation.getMethod(), invocation.getParameters());
        if (!violations.isEmpty()) {
            throw kind == ValidationKind.ENDPOINT ? new ResteasyReactiveViolationException(violations)
                    : new ConstraintViolationException(violations);
        }
    }
}
