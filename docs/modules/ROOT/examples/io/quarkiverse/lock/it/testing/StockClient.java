package io.quarkiverse.lock.it.testing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.rest.client.annotation.RegisterProvider;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.lock.rest.FencingTokenFilter;
import io.quarkiverse.lock.rest.FencingTokenHeader;
import io.smallrye.mutiny.Uni;

// tag::client[]
@RegisterRestClient(configKey = "stock")
@RegisterProvider(FencingTokenFilter.class)
@Path("/stock/{id}")
public interface StockClient {

    @GET
    int read(@PathParam("id") String id);

    @PUT
    void write(@PathParam("id") String id, @QueryParam("amount") int amount);
    // end::client[]

    // tag::later[]
    @PUT
    Uni<Void> writeLater(@PathParam("id") String id, @QueryParam("amount") int amount,
            @HeaderParam(FencingTokenHeader.NAME) String tokens);
    // end::later[]

    /** What the server must not offer. */
    @PUT
    @Path("/unguarded")
    void writeUnguarded(@PathParam("id") String id, @QueryParam("amount") int amount);
}
