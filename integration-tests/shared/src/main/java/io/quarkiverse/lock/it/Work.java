package io.quarkiverse.lock.it;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.Locked.OnLost;
import io.smallrye.mutiny.Uni;

/** Locked methods that stay inside until their gate opens. */
@ApplicationScoped
public class Work {

    private final Gates gates;

    Work(Gates gates) {
        this.gates = gates;
    }

    @Locked("work-{id}")
    public String untilOpened(String id) throws InterruptedException {
        return gates.await(id);
    }

    @Locked(value = "work-{id}", onLost = OnLost.INTERRUPT)
    public String untilInterrupted(String id) {
        try {
            return gates.await(id);
        } catch (InterruptedException e) {
            return "stopped " + id;
        }
    }

    @Locked(value = "work-{id}", onLost = OnLost.NOTIFY)
    public String unimpressed(String id) throws InterruptedException {
        return gates.await(id);
    }

    @Locked("work-{id}")
    public Uni<String> later(String id) {
        return gates.whenOpen(id);
    }

    @Locked("work-{id}")
    public CompletionStage<String> inStage(String id) {
        return gates.whenOpen(id).subscribeAsCompletionStage();
    }

    @Locked(value = "work-{id}", waitFor = "${it.impatient:1s}")
    public String impatiently(String id) {
        return "done " + id;
    }

    @Locked(value = "work-{id}", waitFor = "0", onBusy = OnBusy.SKIP)
    public Optional<String> ifNobodyElse(String id) {
        return Optional.of("done " + id);
    }

    @Locked(value = "work-{id}", waitFor = "0", onBusy = OnBusy.SKIP)
    public Uni<String> ifNobodyElseLater(String id) {
        return Uni.createFrom().item("done " + id);
    }
}
