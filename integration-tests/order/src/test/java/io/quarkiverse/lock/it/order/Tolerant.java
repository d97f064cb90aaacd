package io.quarkiverse.lock.it.order;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.faulttolerance.Bulkhead;
import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.Timeout;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;

/** Combines annotations of fault tolerance with those of locks. */
@ApplicationScoped
public class Tolerant {

    static final List<Long> TOKENS = new CopyOnWriteArrayList<>();

    @Inject
    Held held;

    @Locked("retried")
    @Retry(maxRetries = 2, delay = 0)
    int retried() {
        TOKENS.add(held.token("retried"));
        if (TOKENS.size() < 3) {
            throw new IllegalStateException("not yet");
        }
        return TOKENS.size();
    }

    @Locked(value = "fallback", waitFor = "0")
    @Fallback(fallbackMethod = "instead")
    String fallingBack() {
        return "the method";
    }

    String instead() {
        return "instead";
    }

    @Locked(value = "limited", waitFor = "1h")
    @Timeout(300)
    void limited() {
    }

    /** To the container this method is no different from the others. */
    @Locked("plain")
    void plain() {
    }

    /** The annotation of a class is one of its methods. */
    @ApplicationScoped
    @Unremovable
    @Bulkhead
    public static class All {

        @Locked("inherited")
        void inherited() {
        }
    }
}
