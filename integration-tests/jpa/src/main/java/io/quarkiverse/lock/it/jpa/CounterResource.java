package io.quarkiverse.lock.it.jpa;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;

import io.quarkiverse.lock.it.jpa.Counter.RolledBack;
import io.quarkus.narayana.jta.QuarkusTransaction;

/** Counts on command, with each order of locks and transactions. */
@Path("/counter/{id}")
public class CounterResource {

    private final Counter counter;
    private final Callers callers;

    CounterResource(Counter counter, Callers callers) {
        this.counter = counter;
        this.callers = callers;
    }

    /** Begins a transaction before anything is locked. */
    @ApplicationScoped
    @Transactional
    static class Callers {

        private final Counter counter;

        Callers(Counter counter) {
            this.counter = counter;
        }

        void inside(String id) {
            counter.inside(id);
        }

        void requiringNew(String id) {
            counter.holding(id, () -> counter.onItsOwn(id));
        }
    }

    @GET
    public long value(String id) {
        return counter.value(id);
    }

    @PUT
    public void reset(String id) {
        counter.reset(id);
    }

    @POST
    @Path("/around/{times}")
    public void around(String id, int times) {
        repeat(times, () -> counter.around(id));
    }

    @POST
    @Path("/outer/{times}")
    public void outer(String id, int times) {
        repeat(times, () -> callers.inside(id));
    }

    @POST
    @Path("/quarkus-transaction/{times}")
    public void quarkusTransaction(String id, int times) {
        repeat(times, () -> QuarkusTransaction.requiringNew().run(() -> counter.inside(id)));
    }

    @POST
    @Path("/requires-new/{times}")
    public void requiresNew(String id, int times) {
        repeat(times, () -> callers.requiringNew(id));
    }

    /** Every other call fails after it has counted. */
    @POST
    @Path("/rolled-back/{times}")
    public void rolledBack(String id, int times) {
        repeat(times, () -> {
            counter.around(id);
            try {
                counter.rolledBack(id);
                throw new IllegalStateException("Not rolled back");
            } catch (RolledBack e) {
                // As it should be
            }
        });
    }

    /**
     * The first call is too slow for its transaction, which began before its lock was taken; or its lock comes too late for it,
     * because of others.
     */
    @POST
    @Path("/timeout/{times}")
    public void timeout(String id, int times) {
        boolean committed = false;
        try {
            QuarkusTransaction.requiringNew().timeout(1).run(() -> {
                counter.inside(id);
                awaitRollback();
            });
            committed = true;
        } catch (RuntimeException e) {
            // As it should be
        }
        if (committed) {
            throw new IllegalStateException("Its transaction has no end");
        }
        around(id, times);
    }

    @POST
    @Path("/unguarded/{times}")
    public void unguarded(String id, int times) {
        repeat(times, () -> counter.unguarded(id));
    }

    private static void awaitRollback() {
        while (QuarkusTransaction.getStatus() == jakarta.transaction.Status.STATUS_ACTIVE) {
            Thread.onSpinWait();
        }
    }

    private static void repeat(int times, Runnable body) {
        for (int i = 0; i < times; i++) {
            body.run();
        }
    }
}
