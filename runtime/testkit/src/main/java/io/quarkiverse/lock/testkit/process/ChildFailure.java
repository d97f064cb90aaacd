package io.quarkiverse.lock.testkit.process;

/** A request to a {@link ChildJvm} failed: in the child, or because the child has ended or is silent. */
public final class ChildFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ChildFailure(String message) {
        super(message);
    }
}
