package org.acme;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.rest.client.annotation.RegisterProvider;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.lock.rest.FencingTokenFilter;

@RegisterRestClient(configKey = "stock")
@RegisterProvider(FencingTokenFilter.class)
@Path("/stock/{id}")
public interface StockClient {

    @GET
    int read(@PathParam("id") String id);

    @PUT
    void write(@PathParam("id") String id, @QueryParam("amount") int amount);
}
