package io.quarkiverse.lock.it.observability;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

import jakarta.inject.Inject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import io.opentelemetry.context.Context;
import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.testkit.Await;
import io.quarkus.virtual.threads.VirtualThreads;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;

/** Takes locks in all ways, and answers with the trace in which the code under the lock ran. */
@Path("traced")
public class TracedResource {

    @Inject
    LockManager redis;

    @Inject
    @LockManagerName("here")
    LockManager here;

    @Inject
    @LockManagerName("nodes")
    LockManager nodes;

    @Inject
    @LockManagerName("rows")
    LockManager rows;

    @Inject
    CurrentLock current;

    @Inject
    @VirtualThreads
    ExecutorService virtualThreads;

    @Inject
    TracedJobs jobs;

    // --- who holds the lock until told

    @POST
    @Path("hold/{store}/{id}")
    @Blocking
    public String hold(String store, int id) throws Exception {
        return store.equals("redis") ? jobs.untilTold(id) : lock(store, id).call(jobs::untilTold);
    }

    // --- who waits

    @POST
    @Path("blocking/redis/{id}")
    @Blocking
    public String blocking(int id) {
        return jobs.blocking(id);
    }

    /** On a platform thread where the JDK has no virtual ones. */
    @POST
    @Path("virtual-thread/redis/{id}")
    public Uni<String> virtualThread(int id) {
        return Uni.createFrom().item(() -> jobs.blocking(id)).runSubscriptionOn(virtualThreads);
    }

    @POST
    @Path("uni/redis/{id}")
    public Uni<String> uni(int id) {
        return jobs.uni(id);
    }

    @POST
    @Path("multi/redis/{id}")
    public Uni<String> multi(int id) {
        return jobs.multi(id).collect().last();
    }

    @POST
    @Path("stage/redis/{id}")
    public CompletionStage<String> stage(int id) {
        return jobs.stage(id);
    }

    @POST
    @Path("transaction/jpa/{id}")
    @Blocking
    public String inTransaction(int id) {
        return jobs.inTransaction(id);
    }

    @POST
    @Path("call/{store}/{id}")
    @Blocking
    public String call(String store, int id) throws Exception {
        return lock(store, id).call(TracedJobs::trace);
    }

    @POST
    @Path("call-async/{store}/{id}")
    public Uni<String> callAsync(String store, int id) {
        return lock(store, id).callAsync(() -> Uni.createFrom().item(TracedJobs::trace));
    }

    @POST
    @Path("handle/{store}/{id}")
    public Uni<String> handle(String store, int id) {
        return lock(store, id).acquireAsync()
                .flatMap(handle -> {
                    String trace = TracedJobs.trace();
                    return handle.release().map(released -> trace);
                });
    }

    @POST
    @Path("several/{store}/{id}")
    public Uni<String> several(String store, int id) {
        return manager(store).all("traced-" + id, "traced-" + id + "-too")
                .callAsync(() -> Uni.createFrom().item(TracedJobs::trace));
    }

    /** On a thread of the application, which has the caller's context as OpenTelemetry propagates it. */
    @POST
    @Path("own-thread/{store}/{id}")
    public Uni<String> ownThread(String store, int id) {
        Uni<String> locked = callAsync(store, id);
        Context caller = Context.current();
        return Uni.createFrom().emitter(emitter -> {
            Runnable subscription = () -> locked.subscribe().with(emitter::complete, emitter::fail);
            new Thread(caller.wrap(subscription)).start();
        });
    }

    private DistributedLock lock(String store, int id) {
        return manager(store).lock("traced-" + id);
    }

    private LockManager manager(String store) {
        return switch (store) {
            case "redis" -> redis;
            case "local" -> here;
            case "zookeeper" -> nodes;
            default -> rows;
        };
    }

    // --- who does not get it, and who loses it

    @POST
    @Path("lose/{store}/{id}")
    @Blocking
    public String lose(String store, int id) throws Exception {
        try {
            return lock(store, id).call(() -> {
                manager(store).forceRelease("traced-" + id);
                Await.until("the loss is noticed", SpansTest.SOON, () -> !current.isValid());
                return TracedJobs.trace();
            });
        } catch (LockLostException expected) {
            return TracedJobs.trace();
        }
    }

    @POST
    @Path("at-once/{store}/{id}")
    @Blocking
    public String atOnce(String store, int id) {
        lock(store, id).tryAcquire(Duration.ZERO).ifPresent(handle -> {
            handle.close();
            throw new IllegalStateException("it was free");
        });
        return TracedJobs.trace();
    }
}
