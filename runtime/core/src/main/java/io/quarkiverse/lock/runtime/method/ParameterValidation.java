package io.quarkiverse.lock.runtime.method;

import jakarta.interceptor.InvocationContext;

/** Looks at the parameters of a call before its lock's name is made of them. */
public interface ParameterValidation {

    /** Where nothing validates. */
    ParameterValidation NONE = (invocation, kind) -> {
    };

    /** Fails as the call would fail without a lock. */
    void check(InvocationContext invocation, ValidationKind kind);
}
