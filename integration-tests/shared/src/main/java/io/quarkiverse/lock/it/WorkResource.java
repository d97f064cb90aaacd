package io.quarkiverse.lock.it;

import java.util.concurrent.CompletionStage;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;

@Path("/work/{id}")
public class WorkResource {

    private final Work work;
    private final Gates gates;

    WorkResource(Work work, Gates gates) {
        this.work = work;
        this.gates = gates;
    }

    @POST
    @Path("/gate")
    public void open(String id) {
        gates.open(id);
    }

    @POST
    @Path("/blocking")
    public String blocking(String id) throws InterruptedException {
        return work.untilOpened(id);
    }

    @POST
    @Path("/interruptible")
    public String interruptible(String id) {
        return work.untilInterrupted(id);
    }

    @POST
    @Path("/unimpressed")
    public String unimpressed(String id) throws InterruptedException {
        return work.unimpressed(id);
    }

    @POST
    @Path("/uni")
    public Uni<String> later(String id) {
        return work.later(id);
    }

    @POST
    @Path("/stage")
    @Blocking
    public CompletionStage<String> stage(String id) {
        return work.inStage(id);
    }

    @POST
    @Path("/impatient")
    public String impatient(String id) {
        return work.impatiently(id);
    }

    @POST
    @Path("/skip")
    public String skip(String id) {
        return work.ifNobodyElse(id).orElse("skipped");
    }

    @POST
    @Path("/skip-uni")
    public Uni<String> skipLater(String id) {
        return work.ifNobodyElseLater(id).onItem().ifNull().continueWith("skipped");
    }
}
