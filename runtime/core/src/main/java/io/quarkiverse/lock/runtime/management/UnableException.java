package io.quarkiverse.lock.runtime.management;

/** The backend cannot do what an operator wants; the cause's message says why. */
final class UnableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnableException(Throwable cause) {
        super(cause.getMessage(), cause, false, false); // nobody needs its stack trace
    }
}
