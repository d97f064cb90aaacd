package io.quarkiverse.lock.deployment.method;

import org.jboss.jandex.DotName;

/** A {@code @Locked} method or class that cannot work; names class, method and remedy. */
public final class LockDefinitionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LockDefinitionException(DotName type, String problem) {
        super("[class=" + type + "] " + problem);
    }

    public LockDefinitionException(DotName type, String method, String problem) {
        super("[class=" + type + ", method=" + method + "] " + problem);
    }
}
