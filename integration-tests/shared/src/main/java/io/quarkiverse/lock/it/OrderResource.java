package io.quarkiverse.lock.it;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import io.quarkiverse.lock.it.Order.Customer;
import io.quarkus.virtual.threads.VirtualThreads;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;

@Path("/orders")
public class OrderResource {

    private final Orders orders;
    private final ExecutorService virtualThreads;

    OrderResource(Orders orders, @VirtualThreads ExecutorService virtualThreads) {
        this.orders = orders;
        this.virtualThreads = virtualThreads;
    }

    @POST
    @Path("/{id}/blocking")
    public long count(String id) {
        return orders.count(order(id));
    }

    /**
     * On a platform thread where the JDK has no virtual ones. Not {@code @RunOnVirtualThread}: that needs bytecode of Java 21.
     */
    @POST
    @Path("/{id}/virtual")
    public Uni<Long> countOnVirtualThread(String id) {
        return Uni.createFrom().item(() -> orders.count(order(id))).runSubscriptionOn(virtualThreads);
    }

    /** On the event loop. */
    @POST
    @Path("/{id}/uni")
    public Uni<Long> countLater(String id) {
        return orders.countLater(order(id));
    }

    @POST
    @Path("/{id}/stage")
    @Blocking
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

    /** The kind of thread, and the JDK release that this runs on or that built its executable. */
    public record ThreadKind(String thread, int jdk) {
    }

    @GET
    @Path("/virtual")
    public Uni<ThreadKind> threadKind() {
        return Uni.createFrom()
                .item(() -> new ThreadKind(Thread.currentThread().getClass().getSimpleName(), Runtime.version().feature()))
                .runSubscriptionOn(virtualThreads);
    }

    @GET
    @Path("/most-at-once")
    public int mostAtOnce() {
        return orders.mostAtOnce();
    }

    @GET
    @Path("/names/everything")
    public String everything(@QueryParam("id") String id, @QueryParam("country") String country,
            @QueryParam("number") String number) {
        return orders.namedByEverything(new Order(id, new Customer(country, number)));
    }

    @GET
    @Path("/names/two")
    public String two(@QueryParam("from") String from, @QueryParam("to") String to) {
        return orders.namedByTwo(from, to);
    }

    @GET
    @Path("/names/method")
    public String method() {
        return orders.namedByTheMethod();
    }

    private static Order order(String id) {
        return new Order(id, new Customer("eu", "7"));
    }
}
