package io.quarkiverse.lock.runtime.management;

/** The backend cannot do what an operator wants; the message of the cause says why. */
final class UnableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnableException(Throwable cause) {
        super(cause.getMessage(), cause, false, false); // nobody looks for it in the code
    }
}
