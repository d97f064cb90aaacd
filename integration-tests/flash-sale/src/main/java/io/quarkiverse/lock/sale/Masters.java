package io.quarkiverse.lock.sale;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.LockManager;
import io.quarkus.redis.datasource.ReactiveRedisDataSource;
import io.quarkus.redis.datasource.value.ReactiveValueCommands;
import io.smallrye.mutiny.Uni;

/**
 * The master of a Redis with sentinels, and its death in the middle of a sale. Never blocks: all workers may be busy selling.
 */
@ApplicationScoped
class Masters {

    private static final Logger LOG = Logger.getLogger(Masters.class);

    private final ReactiveRedisDataSource redis;
    private final ReactiveValueCommands<String, Integer> left;
    private final LockManager locks;
    private final LockWatch watch;

    Masters(ReactiveRedisDataSource redis, LockManager locks, LockWatch watch) {
        this.redis = redis;
        this.left = redis.value(Integer.class);
        this.locks = locks;
        this.watch = watch;
    }

    /**
     * @param sentinels whether there are any: without them nobody replaces a master
     * @param replicaAcks how many replicas have to confirm a grant
     * @param grace whether no lock is granted for a while after a fail-over
     * @param address the address of the master; empty while it cannot be reached
     * @param run the process of the master: a server that was started again is another one at the same address
     * @param replicas how many follow it, and have its data
     */
    public record Master(boolean sentinels, int replicaAcks, boolean grace, String address, String run, int replicas) {
    }

    /**
     * The state of the sale when a master was killed.
     *
     * @param master the address of the master, and run its process
     * @param token the last fencing token that this node had
     * @param holders who held the lock
     * @param afterMillis how long the sale had been running
     */
    public record Fall(String master, String run, int left, String token, List<SaleResource.Holder> holders,
            long afterMillis) {
    }

    boolean withSentinels() {
        return setting("quarkus.redis.client-type", "standalone").equalsIgnoreCase("sentinel");
    }

    Uni<Master> now() {
        boolean sentinels = withSentinels();
        int acks = Integer.parseInt(setting("quarkus.lock.redis.replica-acks", "0"));
        boolean grace = setting("quarkus.lock.redis.after-failover", "at-once").equalsIgnoreCase("grace");
        return redis.execute("INFO").map(reply -> {
            Map<String, String> fields = fields(reply.toString());
            return new Master(sentinels, acks, grace, "port " + fields.get("tcp_port"), fields.get("run_id"),
                    replicas(fields));
        }).onFailure().recoverWithItem(new Master(sentinels, acks, grace, "", "", 0));
    }

    /** Kills the master without a word to its replicas: what has not reached them is lost. */
    void kill(Progress progress) {
        Sale sale = progress.sale();
        Uni.combine().all().unis(now(), left.get(Stock.leftKey(sale.id())), SaleResource.holders(locks, sale))
                .with((master, items, holders) -> new Fall(master.address(), master.run(), items, watch.latestToken(),
                        holders, progress.tookMillis()))
                .onItem().call(() -> shutDown())
                .subscribe().with(progress::fell, failure -> {
                    LOG.warnf(failure, "The master of sale %s could not be killed", sale.id());
                    progress.fell(new Fall("", "", sale.items(), watch.latestToken(), List.of(), progress.tookMillis()));
                });
    }

    private Uni<?> shutDown() {
        return redis.execute("SHUTDOWN", "NOSAVE", "NOW").replaceWithVoid()
                // The connection ends instead of an answer; before Redis 7 nothing waits for replicas, and NOW does not exist
                .onFailure(failure -> String.valueOf(failure.getMessage()).startsWith("ERR"))
                .recoverWithUni(() -> redis.execute("SHUTDOWN", "NOSAVE").replaceWithVoid())
                .onFailure().recoverWithNull();
    }

    /**
     * One that is still connecting has no data yet: it would replace the master with an empty stock. "Online" includes a
     * replica that has not confirmed anything yet, with offset 0. It receives nothing new until it does.
     */
    private static int replicas(Map<String, String> fields) {
        return (int) fields.entrySet().stream().filter(field -> field.getKey().matches("slave\\d+"))
                .map(Map.Entry::getValue)
                .filter(replica -> replica.contains("state=online") && !replica.contains("offset=0,")).count();
    }

    private static Map<String, String> fields(String info) {
        return info.lines().map(line -> line.split(":", 2)).filter(field -> field.length == 2)
                .collect(Collectors.toMap(field -> field[0], field -> field[1].strip(), (first, second) -> first));
    }

    private static String setting(String property, String otherwise) {
        return ConfigProvider.getConfig().getOptionalValue(property, String.class).orElse(otherwise);
    }
}
