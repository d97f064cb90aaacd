package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.spi.WaitNotes;
import io.smallrye.mutiny.Uni;

/** A client of a store with notes beside waiting claims: each is a JVM to the others. */
final class NotingBackend implements LockBackend, WaitNotes {

    /** What all clients see. */
    static final class Shared {

        private final Map<String, Map<String, Grant>> holders = new LinkedHashMap<>();
        private final Map<String, Map<String, Place>> waiters = new LinkedHashMap<>();
        private long places;

        private Map<String, Grant> holders(String name) {
            return holders.computeIfAbsent(name, n -> new LinkedHashMap<>());
        }

        private Map<String, Place> waiters(String name) {
            return waiters.computeIfAbsent(name, n -> new LinkedHashMap<>());
        }
    }

    private static final class Place {

        final long since;
        final String owner;
        String note;

        Place(long since, String owner) {
            this.since = since;
            this.owner = owner;
        }
    }

    private final Shared shared;
    private final LockBackend store;
    private final String owner;
    int notes;
    int lines;
    /** Whether this JVM stands still, as far as notes are concerned. */
    boolean still;

    NotingBackend(Shared shared, LockBackend store, String owner) {
        this.shared = shared;
        this.store = store;
        this.owner = owner;
    }

    @Override
    public WaitNotes waitNotes() {
        return this;
    }

    @Override
    public Uni<Boolean> note(Claim waiting, String note) {
        if (still) {
            return Uni.createFrom().nothing();
        }
        return Uni.createFrom().item(() -> {
            notes++;
            synchronized (shared) {
                Place place = shared.waiters(waiting.name()).get(waiting.token());
                if (place != null) {
                    place.note = note;
                }
                return place != null;
            }
        });
    }

    @Override
    public Uni<Line> line(String name) {
        return Uni.createFrom().item(() -> {
            lines++;
            synchronized (shared) {
                List<Holder> holders = new ArrayList<>();
                shared.holders(name).values()
                        .forEach(each -> holders.add(new Holder(each.fence(), each.claim().mode(), each.claim().limit())));
                List<Waiter> waiters = new ArrayList<>();
                shared.waiters(name).forEach((token, place) -> {
                    if (place.note != null) {
                        waiters.add(new Waiter(token, place.since, place.owner, place.note));
                    }
                });
                return new Line(holders, waiters);
            }
        });
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        synchronized (shared) {
            shared.waiters(claim.name()).put(claim.token(), new Place(++shared.places, owner));
        }
        return store.acquire(claim).onItem().invoke(answer -> {
            gone(claim);
            if (answer instanceof Grant grant) {
                synchronized (shared) {
                    shared.holders(claim.name()).put(claim.token(), grant);
                }
            }
        }).onCancellation().invoke(() -> gone(claim));
    }

    private void gone(Claim claim) {
        synchronized (shared) {
            shared.waiters(claim.name()).remove(claim.token());
        }
    }

    @Override
    public Uni<Void> release(Grant grant) {
        synchronized (shared) { // before the store gives it to the next
            shared.holders(grant.name()).remove(grant.claim().token());
        }
        return store.release(grant);
    }

    @Override
    public String name() {
        return "noting";
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        store.start(listener, time);
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        return store.renew(grants);
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return store.inspect(name);
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return store.forceRelease(name);
    }

    @Override
    public Set<Feature> features() {
        return store.features();
    }

    @Override
    public Duration operationTimeout() {
        return store.operationTimeout();
    }

    @Override
    public void close() {
        store.close();
    }
}
