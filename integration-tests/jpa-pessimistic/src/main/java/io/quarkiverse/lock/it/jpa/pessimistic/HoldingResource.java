package io.quarkiverse.lock.it.jpa.pessimistic;

import java.time.Duration;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;

import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkus.narayana.jta.QuarkusTransaction;

/** Holds locks, and encounters held ones, on command. */
@Path("/holding/{id}")
public class HoldingResource {

    private static final int LOCKED = 423;

    private final Holding holding;
    private final LockManager locks;

    HoldingResource(Holding holding, LockManager locks) {
        this.holding = holding;
        this.locks = locks;
    }

    @POST
    @Path("/until-told")
    public String untilTold(String id) throws Exception {
        return holding.untilTold(id);
    }

    @POST
    @Path("/until-lost")
    public void untilLost(String id) {
        holding.untilLost(id);
    }

    @GET
    @Path("/session")
    public String session(String id) throws Exception {
        return holding.session(id);
    }

    @POST
    @Path("/end")
    public void end(String id) {
        holding.end(id);
    }

    @POST
    @Path("/impatient")
    public String impatient(String id) {
        return holding.impatient(id);
    }

    @POST
    @Path("/refused-twice/{other}")
    public boolean refusedTwice(String id, String other) {
        return holding.refusedTwiceInTheMidst(id, other);
    }

    /** With the API, and without a transaction. */
    @POST
    @Path("/handle-alone")
    public String handleAlone(String id) {
        try (LockHandle hold = locks.lock("counter-" + id).acquire()) {
            return "valid " + hold.isValid();
        }
    }

    /** With the API, in a transaction; the lock stays when the handle is closed. Answers whether others were kept out. */
    @POST
    @Path("/handle")
    public boolean handle(String id) {
        return QuarkusTransaction.requiringNew().call(() -> {
            try (LockHandle hold = locks.lock("counter-" + id).tryAcquire(Duration.ofSeconds(20)).orElseThrow()) {
                hold.fencingToken();
            }
            return locks.inspect("counter-" + id).isPresent();
        });
    }

    @ServerExceptionMapper
    Response busy(LockBusyException e) {
        return Response.status(LOCKED).entity(e.getMessage()).build();
    }

    @ServerExceptionMapper
    Response lost(LockLostException e) {
        return Response.status(Status.CONFLICT).entity(e.getMessage()).build();
    }

    @ServerExceptionMapper
    Response misuse(IllegalStateException e) {
        return Response.status(Status.BAD_REQUEST).entity(e.getMessage()).build();
    }
}
