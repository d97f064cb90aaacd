package io.quarkiverse.lock.it.order;

import java.util.concurrent.CompletableFuture;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.faulttolerance.Timeout;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.smallrye.mutiny.Multi;

/** Fault tolerance treats these methods as blocking ones, and returns what they return. */
@ApplicationScoped
@Unremovable
public class TolerantFutures {

    /** Ends what {@link #future()} returns. */
    static final CompletableFuture<String> END = new CompletableFuture<>();

    @Locked("future")
    @Timeout(300)
    CompletableFuture<String> future() {
        return END;
    }

    @Locked("stream")
    @Timeout(300)
    Multi<String> stream() {
        return Multi.createFrom().emitter(emitter -> END.thenAccept(end -> emitter.complete()));
    }
}
