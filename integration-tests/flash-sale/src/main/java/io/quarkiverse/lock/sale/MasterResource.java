package io.quarkiverse.lock.sale;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.smallrye.mutiny.Uni;

/** Where the stock and the locks are, and whether a replica would take over from the master. */
@Path("/master")
public class MasterResource {

    private final Masters masters;

    MasterResource(Masters masters) {
        this.masters = masters;
    }

    @GET
    public Uni<Masters.Master> now() {
        return masters.now();
    }
}
