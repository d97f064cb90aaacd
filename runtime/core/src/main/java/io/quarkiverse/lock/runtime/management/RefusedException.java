package io.quarkiverse.lock.runtime.management;

/** A request of an operator cannot be done, for a reason that is told in the answer. */
final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int status, String detail) {
        super(detail, null, false, false); // nobody looks for it in the code
        this.status = status;
    }

    int status() {
        return status;
    }
}
