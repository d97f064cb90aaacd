package io.quarkiverse.lock.it.observability;

import java.util.concurrent.CountDownLatch;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

import org.jboss.resteasy.reactive.common.util.RestMediaType;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockManager;
import io.smallrye.mutiny.Multi;

@Path("jobs")
public class JobResource {

    @Inject
    Jobs jobs;

    @Inject
    LockManager locks;

    @POST
    @Path("once/{id}")
    public void once(int id) {
        jobs.once(id);
    }

    @POST
    @Path("at-once/{id}")
    public void atOnce(int id) {
        jobs.atOnce(id);
    }

    @GET
    @Path("lines/{id}")
    @Produces(RestMediaType.APPLICATION_NDJSON)
    public Multi<String> lines(int id) {
        return jobs.parts(id);
    }

    @GET
    @Path("events/{id}")
    @Produces(MediaType.SERVER_SENT_EVENTS)
    public Multi<String> events(int id) {
        return jobs.parts(id);
    }

    @GET
    @Path("events-or-busy/{id}")
    @Produces(MediaType.SERVER_SENT_EVENTS)
    public Multi<String> eventsOrBusy(int id) {
        return jobs.parts(id).onFailure(LockBusyException.class).recoverWithItem("busy");
    }

    @POST
    @Path("lose/{id}")
    public void lose(int id) {
        jobs.under(id, () -> locks.forceRelease("lost-" + id));
    }

    @POST
    @Path("on-each-backend/{id}")
    public void onEachBackend(int id) {
        jobs.once(id);
        jobs.here(id);
        jobs.nodes(id);
        jobs.rows(id);
    }

    @POST
    @Path("by-hand/{name}")
    public void byHand(String name) {
        locks.lock("hand-" + name).acquire().close();
    }

    /** Answers once the lock is held. */
    @POST
    @Path("begin/{id}")
    public void begin(int id) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        Thread worker = new Thread(() -> {
            try {
                jobs.untilTold(id, begun::countDown);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        worker.setDaemon(true);
        worker.start();
        begun.await();
    }

    @POST
    @Path("end")
    public void end() {
        jobs.end();
    }

    @POST
    @Path("take-away/{name}")
    public void takeAway(String name) {
        locks.forceRelease(name);
    }
}
