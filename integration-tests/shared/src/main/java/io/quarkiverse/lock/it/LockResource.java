package io.quarkiverse.lock.it;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.smallrye.mutiny.Uni;

/** Locks through the API: handles that outlive the request that created them. */
@Path("/locks/{name}")
public class LockResource {

    public record Grant(long fencingToken) {
    }

    private final LockManager locks;
    private final Map<Long, LockHandle> handles = new ConcurrentHashMap<>();

    LockResource(LockManager locks) {
        this.locks = locks;
    }

    @POST
    public Grant acquire(String name) {
        return keep(locks.lock(name).acquire());
    }

    @POST
    @Path("/uni")
    public Uni<Grant> acquireLater(String name) {
        return locks.lock(name).acquireAsync().map(this::keep);
    }

    @POST
    @Path("/try")
    public Grant tryAcquire(String name) {
        return locks.lock(name).tryAcquire(Duration.ZERO).map(this::keep)
                .orElseThrow(() -> new NotFoundException("Held by another"));
    }

    @POST
    @Path("/call")
    public List<HeldLock> call(String name) throws Exception {
        return locks.lock(name).call(locks::held);
    }

    @POST
    @Path("/call-uni")
    public Uni<List<HeldLock>> callLater(String name) {
        return locks.lock(name).callAsync(() -> Uni.createFrom().item(locks::held));
    }

    @GET
    public LockInfo inspect(String name) {
        return locks.inspect(name).orElseThrow(() -> new NotFoundException("Held by nobody"));
    }

    @DELETE
    public boolean forceRelease(String name) {
        return locks.forceRelease(name);
    }

    @GET
    @Path("/{token}/valid")
    public boolean isValid(String name, long token) {
        return handles.get(token).isValid();
    }

    @POST
    @Path("/{token}/extend")
    public long extend(String name, long token, @QueryParam("seconds") long seconds) {
        LockHandle handle = handles.get(token);
        handle.extend(Duration.ofSeconds(seconds));
        return handle.validFor().toSeconds();
    }

    /** Answers once the lock is lost. */
    @GET
    @Path("/{token}/lost")
    public Uni<String> lost(String name, long token) {
        return Uni.createFrom().completionStage(handles.get(token).lost()).map(Throwable::getMessage);
    }

    @DELETE
    @Path("/{token}")
    public void release(String name, long token) {
        handles.remove(token).close();
    }

    private Grant keep(LockHandle handle) {
        handles.put(handle.fencingToken(), handle);
        return new Grant(handle.fencingToken());
    }
}
