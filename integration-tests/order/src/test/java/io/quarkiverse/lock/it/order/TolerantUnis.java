package io.quarkiverse.lock.it.order;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.Timeout;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.smallrye.mutiny.Uni;

/** Fault tolerance subscribes to what these methods return, and returns something of its own. */
@ApplicationScoped
@Unremovable
public class TolerantUnis {

    /** Ends the body of {@link #limited()}. */
    static final CompletableFuture<String> END = new CompletableFuture<>();

    @Inject
    TolerantUnis self;

    @Locked("limited")
    @Timeout(300)
    Uni<String> limited() {
        return Uni.createFrom().emitter(emitter -> END.thenAccept(emitter::complete));
    }

    @Locked("stage")
    @Fallback(fallbackMethod = "instead")
    CompletionStage<String> stage() {
        return END;
    }

    CompletionStage<String> instead() {
        return CompletableFuture.completedFuture("instead");
    }

    @Locked("nested")
    Uni<String> around() {
        return self.nested();
    }

    @Locked(value = "nested", waitFor = "0")
    @Retry(maxRetries = 1, delay = 0)
    Uni<String> nested() {
        return Uni.createFrom().item("nested");
    }

    @Locked("plain")
    Uni<String> plain() {
        return Uni.createFrom().item("plain");
    }
}
