package io.quarkiverse.lock.it.faults;

import java.sql.SQLException;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestPath;

/** Counts on command. */
@Path("/count")
public class CounterResource {

    @Inject
    Counter counter;

    @Inject
    Callers callers;

    @GET
    public String ready() {
        return "ready";
    }

    @POST
    @Path("/around/{times}")
    public void aroundTheTransaction(@RestPath int times) throws SQLException {
        for (int i = 0; i < times; i++) {
            counter.increment();
        }
    }

    @POST
    @Path("/inside/{times}")
    public void insideTheTransaction(@RestPath int times) throws SQLException {
        for (int i = 0; i < times; i++) {
            callers.incrementInside();
        }
    }

    @POST
    @Path("/unguarded/{times}")
    public void unguarded(@RestPath int times) throws SQLException {
        for (int i = 0; i < times; i++) {
            counter.incrementUnguarded();
        }
    }
}
