package io.quarkiverse.lock.it.testing;

import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

@RegisterRestClient(configKey = "stock")
@Path("/stock/{id}/unguarded")
public interface UnguardedStockClient {

    @PUT
    void write(@PathParam("id") String id, @QueryParam("amount") int amount);
}
