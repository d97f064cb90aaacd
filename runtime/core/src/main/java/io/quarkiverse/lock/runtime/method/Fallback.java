package io.quarkiverse.lock.runtime.method;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;

/**
 * Calls the fallback of a method whose lock is busy. Implemented by classes generated at build time, whose
 * {@code toString()} is {@code Class.method} of the fallback.
 */
@FunctionalInterface
public interface Fallback {

    /**
     * @param target the bean; {@code null} for a static method
     * @param arguments the arguments of the call
     * @param busy why it is called
     * @throws Exception what the method throws
     */
    @Nullable
    Object call(@Nullable Object target, Object[] arguments, LockBusyException busy) throws Exception;
}
