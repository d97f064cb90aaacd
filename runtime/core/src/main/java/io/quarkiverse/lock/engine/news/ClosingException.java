package io.quarkiverse.lock.engine.news;

import io.quarkiverse.lock.text.PrintableName;

/** A lock is not taken because the application is shutting down. */
public final class ClosingException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    ClosingException(String name) {
        super("Lock '" + PrintableName.of(name) + "' is not taken: the application is shutting down");
    }
}
