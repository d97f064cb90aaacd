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
 * Validation by Hibernate Validator, for applications that use it. Its own interceptor sits inside the lock, since a method's
 * result must be validated before the transaction commits. So the parameters are validated there a second time.
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
