package io.quarkiverse.lock.jpa.operation;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

/** Says once that a list lacks a name, since operators ask for it again and again. */
public final class LeftOutNames {

    private static final Logger LOG = Logger.getLogger(LeftOutNames.class);

    private final AtomicBoolean said = new AtomicBoolean();

    void add(Throwable why) {
        if (said.compareAndSet(false, true)) {
            LOG.warnf("A lock is left out of the list, and so are others like it from now on: %s", why.getMessage());
        } else {
            LOG.debugf("A lock is left out of the list: %s", why.getMessage());
        }
    }
}
