package io.quarkiverse.lock.it.classic;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.StaleTokenException;

/** A method for each way in which a lock can fail a request. */
@Path("problems")
public class FailingResource {

    @GET
    @Path("busy")
    public String busy() {
        throw new LockBusyException("a", "held by somebody");
    }

    @GET
    @Path("lost")
    public String lost() {
        throw new LockLostException("a", "gone", null);
    }

    @GET
    @Path("unavailable")
    public String unavailable() {
        throw new LockBackendException("a", "no answer", null);
    }

    @GET
    @Path("stale")
    public String stale() {
        throw new StaleTokenException("a", "too late");
    }
}
