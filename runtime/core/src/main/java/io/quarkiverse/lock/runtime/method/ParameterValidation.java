package io.quarkiverse.lock.runtime.method;

import jakarta.interceptor.InvocationContext;

/** Validates the parameters of a call before its lock's name is made from them. */
public interface ParameterValidation {

    /** No validation. */
    ParameterValidation NONE = (invocation, kind) -> {
    };

    /** Fails as the call would fail without a lock. */
    void check(InvocationContext invocation, ValidationKind kind);
}
