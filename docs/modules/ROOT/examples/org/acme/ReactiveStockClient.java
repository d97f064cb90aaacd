package org.acme;

import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.lock.rest.FencingTokenHeader;
import io.smallrye.mutiny.Uni;

@RegisterRestClient(configKey = "stock")
@Path("/stock/{id}")
public interface ReactiveStockClient {

    @PUT
    Uni<Void> write(@PathParam("id") String id, @QueryParam("amount") int amount,
            @HeaderParam(FencingTokenHeader.NAME) String tokens);
}
