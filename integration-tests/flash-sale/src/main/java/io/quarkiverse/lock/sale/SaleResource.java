package io.quarkiverse.lock.sale;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockManager;
import io.quarkus.redis.datasource.ReactiveRedisDataSource;
import io.quarkus.redis.datasource.list.ReactiveListCommands;
import io.quarkus.redis.datasource.value.ReactiveValueCommands;
import io.smallrye.mutiny.Uni;

/** Starts sales and reports their progress. Reporting never blocks: all workers may be busy selling. */
@Path("/sales")
public class SaleResource {

    private final Stock stock;
    private final Crowd crowd;
    private final Nodes nodes;
    private final Masters masters;
    private final LockWatch watch;
    private final LockManager locks;
    private final ReactiveValueCommands<String, Integer> left;
    private final ReactiveListCommands<String, String> orders;
    private final Map<String, Progress> sales = new ConcurrentHashMap<>();

    SaleResource(Stock stock, Crowd crowd, Nodes nodes, Masters masters, LockWatch watch, LockManager locks,
            ReactiveRedisDataSource redis) {
        this.stock = stock;
        this.crowd = crowd;
        this.nodes = nodes;
        this.masters = masters;
        this.watch = watch;
        this.locks = locks;
        this.left = redis.value(Integer.class);
        this.orders = redis.list(String.class);
    }

    /**
     * What the page shows.
     *
     * @param left how many items the stock still has
     * @param sold how many orders there are
     * @param confirmed how many buyers were told that they got an item
     * @param oversold how many of them got items that never existed
     * @param waiting how many buyers have no answer yet
     * @param failed how many never got an answer
     * @param holder who has the lock at this moment, if anybody
     * @param token the last fencing token that this node had
     * @param fall the state when the master was killed, if it was
     */
    public record Status(Sale sale, int left, long sold, int confirmed, long oversold, int waiting, int failed,
            boolean done, long tookMillis, List<Holder> holder, String token, Masters.@Nullable Fall fall) {
    }

    /** Who holds the lock, with the fencing token. Tokens are text: JavaScript's numbers are too small for them. */
    public record Holder(String node, String token) {
    }

    @POST
    public Sale start(@QueryParam("locked") @DefaultValue("true") boolean locked,
            @QueryParam("masterDies") @DefaultValue("false") boolean masterDies) {
        if (masterDies && !masters.withSentinels()) {
            throw new BadRequestException("There are no sentinels: nobody would take the master's place");
        }
        String id = Integer.toString(ThreadLocalRandom.current().nextInt(36 * 36 * 36, Integer.MAX_VALUE), 36);
        Sale sale = new Sale(id, nodes.items(), nodes.buyers(), locked, masterDies);
        Progress progress = new Progress(sale);
        sales.put(id, progress);
        stock.fill(id, sale.items());
        crowd.rush(progress);
        return sale;
    }

    @GET
    @Path("/{id}")
    public Uni<Status> status(String id) {
        Progress progress = sales.get(id);
        if (progress == null) {
            throw new NotFoundException("Sale " + id + " was not started at this node");
        }
        // Read before the orders are counted: when all are done, all are counted
        boolean done = progress.done();
        return Uni.combine().all()
                .unis(left.get(Stock.leftKey(id)), orders.llen(Stock.ordersKey(id)), holders(locks, progress.sale()))
                .with((left, sold, holder) -> status(progress, done, left, sold, holder));
    }

    static Uni<List<Holder>> holders(LockManager locks, Sale sale) {
        if (!sale.locked()) {
            return Uni.createFrom().item(List.of());
        }
        return locks.inspectAsync("sale-" + sale.id()).map(info -> info.stream().flatMap(it -> it.holders().stream())
                .map(it -> new Holder(it.owner(), Long.toString(it.fencingToken()))).toList());
    }

    private Status status(Progress progress, boolean done, int left, long sold, List<Holder> holder) {
        Sale sale = progress.sale();
        return new Status(sale, left, sold, progress.confirmed(), Math.max(0, sold - sale.items()), progress.waiting(),
                progress.failures(), done, progress.tookMillis(), holder, watch.latestToken(), progress.fall());
    }
}
