package org.acme;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

@Path("/stock/{id}")
public class StockResource {

    private final Stock stock;

    StockResource(Stock stock) {
        this.stock = stock;
    }

    @POST
    public String take(String id) {
        return String.valueOf(stock.take(id));
    }
}
