package io.quarkiverse.lock.it.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import io.quarkiverse.lock.it.redis.Order.Customer;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.mutiny.Uni;

@Path("/orders")
public class OrderResource {

    private final Orders orders;

    OrderResource(Orders orders) {
        this.orders = orders;
    }

    @POST
    @Path("/{id}/blocking")
    public long count(String id) {
        return orders.count(order(id));
    }

    /** On a platform thread where the JDK has no virtual ones. */
    @POST
    @Path("/{id}/virtual")
    @RunOnVirtualThread
    public long countOnVirtualThread(String id) {
        return orders.count(order(id));
    }

    /** On the event loop. */
    @POST
    @Path("/{id}/uni")
    public Uni<Long> countLater(String id) {
        return orders.countLater(order(id));
    }

    @POST
    @Path("/{id}/stage")
    @io.smallrye.common.annotation.Blocking
    public CompletionStage<Long> countInStage(String id) {
        return orders.countInStage(order(id));
    }

    /** A locked call inside a locked call of the same name. */
    @POST
    @Path("/{id}/nested")
    public long nested(String id) {
        return orders.inside(order(id), () -> orders.count(order(id)));
    }

    /** Refused: this method runs on the event loop, and the locked one blocks. */
    @POST
    @Path("/{id}/blocking-on-event-loop")
    public Uni<Long> countOnEventLoop(String id) {
        return Uni.createFrom().item(() -> orders.count(order(id)));
    }

    @GET
    @Path("/virtual")
    @RunOnVirtualThread
    public String threadKind() {
        return Thread.currentThread().getClass().getSimpleName();
    }

    @GET
    @Path("/most-at-once")
    public int mostAtOnce() {
        return orders.mostAtOnce();
    }

    @GET
    @Path("/names/everything")
    public List<String> everything(@QueryParam("id") String id, @QueryParam("country") String country,
            @QueryParam("number") String number) {
        return orders.namedByEverything(new Order(id, new Customer(country, number)));
    }

    @GET
    @Path("/names/two")
    public List<String> two(@QueryParam("from") String from, @QueryParam("to") String to) {
        return orders.namedByTwo(from, to);
    }

    @GET
    @Path("/names/method")
    public List<String> method() {
        return orders.namedByTheMethod();
    }

    private static Order order(String id) {
        return new Order(id, new Customer("eu", "7"));
    }
}
