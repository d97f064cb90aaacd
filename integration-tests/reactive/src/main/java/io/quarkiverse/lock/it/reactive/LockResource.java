package io.quarkiverse.lock.it.reactive;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;

import io.quarkiverse.lock.LockLost;
import io.quarkiverse.lock.LockManager;
import io.smallrye.common.annotation.Blocking;

/** What an operator can see and do. */
@Path("/locks/{name}")
@Blocking
@ApplicationScoped
public class LockResource {

    private final LockManager locks;
    private final Set<String> lost = ConcurrentHashMap.newKeySet();

    LockResource(LockManager locks) {
        this.locks = locks;
    }

    @GET
    public String inspect(String name) {
        return locks.inspect(name).orElseThrow(() -> new NotFoundException("Held by nobody")).toString();
    }

    @GET
    @Path("/lost")
    public boolean isLost(String name) {
        return lost.contains(name);
    }

    void lost(@ObservesAsync LockLost event) {
        lost.add(event.name());
    }

    @DELETE
    public boolean forceRelease(String name) {
        return locks.forceRelease(name);
    }
}
