package io.quarkiverse.lock.runtime.management;

/** An operator's request cannot be carried out, for a reason given in the answer. */
final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int status, String detail) {
        super(detail, null, false, false); // nobody needs its stack trace
        this.status = status;
    }

    int status() {
        return status;
    }
}
