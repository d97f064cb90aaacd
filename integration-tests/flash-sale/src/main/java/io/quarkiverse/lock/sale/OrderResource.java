package io.quarkiverse.lock.sale;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

/** The entrance for buyers, at every node. */
@Path("/sales/{id}/orders")
public class OrderResource {

    private final Shop shop;

    OrderResource(Shop shop) {
        this.shop = shop;
    }

    /** Whether the buyer got an item. */
    public record Answer(boolean sold) {
    }

    @POST
    public Answer order(String id, @QueryParam("buyer") String buyer, @QueryParam("locked") boolean locked) {
        Sale sale = new Sale(id, 0, 0, locked, false);
        return new Answer(locked ? shop.sell(sale, buyer) : shop.sellUnlocked(sale, buyer));
    }
}
