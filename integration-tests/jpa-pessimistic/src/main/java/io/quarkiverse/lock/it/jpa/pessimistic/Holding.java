package io.quarkiverse.lock.it.jpa.pessimistic;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.Locked;

/** Methods that keep a lock until they are told to end, and methods that encounter it. */
@ApplicationScoped
public class Holding {

    private static final int LONGEST_SECONDS = 50;

    private final EntityManager entities;
    private final Counter counter;
    private final LockManager watchful;
    private final String sessionQuery;
    private final Map<String, CompletableFuture<String>> sessions = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<String>> ends = new ConcurrentHashMap<>();

    Holding(EntityManager entities, Counter counter, @LockManagerName("watchful") LockManager watchful,
            @ConfigProperty(name = "it.session-query", defaultValue = "SELECT 0") String sessionQuery) {
        this.entities = entities;
        this.counter = counter;
        this.watchful = watchful;
        this.sessionQuery = sessionQuery;
    }

    /** In the transaction that is begun for the method; it has counted once {@link #session} answers. */
    @Locked("counter-{id}")
    public String untilTold(String id) throws Exception {
        counter.plain(id);
        entities.flush();
        publishSession(id);
        return ends(id).get(LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    /** Counts in a transaction inside the one that has the lock, and ends it only after the lock is lost. */
    @Locked(value = "counter-{id}", manager = "watchful")
    public void untilLost(String id) {
        publishSession(id);
        CompletionStage<?> lost = watchful.lock("counter-" + id).acquire().lost();
        counter.requiresNew(id, () -> lost.toCompletableFuture().orTimeout(LONGEST_SECONDS, TimeUnit.SECONDS).join());
    }

    /** The database's session number of such a method, which may still be waiting for its lock. */
    String session(String id) throws Exception {
        return sessions(id).get(LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    void end(String id) {
        ends(id).complete("done");
    }

    @Locked(value = "counter-{id}", waitFor = "300ms")
    public String impatient(String id) {
        return "done";
    }

    @Locked(value = "counter-{id}", waitFor = "300ms", onBusy = Locked.OnBusy.SKIP)
    public String orNothing(String id) {
        return "done";
    }

    @Locked(value = "counter-{id}", waitFor = "0", onBusy = Locked.OnBusy.SKIP)
    public String atOnceOrNothing(String id) {
        return "done";
    }

    /** Its work before and after a timed-out wait is in one transaction. */
    @Transactional
    public boolean refusedTwiceInTheMidst(String id, String other) {
        counter.plain(other);
        entities.flush();
        boolean refused = orNothing(id) == null & atOnceOrNothing(id) == null;
        counter.plain(other);
        return refused;
    }

    private void publishSession(String id) {
        sessions(id).complete(entities.createNativeQuery(sessionQuery).getSingleResult().toString());
    }

    private CompletableFuture<String> sessions(String id) {
        return sessions.computeIfAbsent(id, unknown -> new CompletableFuture<>());
    }

    private CompletableFuture<String> ends(String id) {
        return ends.computeIfAbsent(id, untold -> new CompletableFuture<>());
    }
}
