package io.quarkiverse.lock.it.jpa.pessimistic;

import jakarta.transaction.Status;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;

import io.quarkiverse.lock.LockBackendException;
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

    @GET
    public long value(String id) {
        return counter.value(id);
    }

    @PUT
    public void reset(String id) {
        counter.reset(id);
    }

    @POST
    @Path("/transactional/{times}")
    public void transactional(String id, int times) {
        repeat(times, () -> counter.transactional(id));
    }

    @POST
    @Path("/own/{times}")
    public void own(String id, int times) {
        repeat(times, () -> {
            counter.plain(id);
            if (QuarkusTransaction.getStatus() != Status.STATUS_NO_TRANSACTION) {
                throw new IllegalStateException("The transaction begun for the method goes on");
            }
        });
    }

    @POST
    @Path("/outer/{times}")
    public void outer(String id, int times) {
        repeat(times, () -> callers.plain(id));
    }

    /** Counts two at a time. */
    @POST
    @Path("/outer-twice/{times}")
    public void outerTwice(String id, int times) {
        repeat(times / 2, () -> callers.twice(id));
        repeat(times % 2, () -> callers.plain(id));
    }

    @POST
    @Path("/quarkus-transaction/{times}")
    public void quarkusTransaction(String id, int times) {
        repeat(times, () -> QuarkusTransaction.requiringNew().run(() -> counter.plain(id)));
    }

    /** The caller's transaction is rolled back, and the work of the new one is kept. */
    @POST
    @Path("/requires-new/{times}")
    public void requiresNew(String id, int times) {
        repeat(times, () -> RolledBack.expectedFrom(() -> callers.requiresNewThenRolledBack(id)));
    }

    /** The lock belongs to the transaction around the one that counts. */
    @POST
    @Path("/requires-new-inside/{times}")
    public void requiresNewInside(String id, int times) {
        repeat(times, () -> counter.holding(id, () -> counter.unguarded(id)));
    }

    /** Each time some fail after they have counted, in every kind of transaction. */
    @POST
    @Path("/rolled-back/{times}")
    public void rolledBack(String id, int times) {
        repeat(times, () -> {
            RolledBack.expectedFrom(() -> counter.transactionalRolledBack(id));
            counter.plain(id);
            RolledBack.expectedFrom(() -> counter.plainRolledBack(id));
            RolledBack.expectedFrom(() -> callers.plainThenRolledBack(id));
        });
    }

    /** The first call is too slow for its transaction; or its lock comes too late for it, because of others. */
    @POST
    @Path("/timeout/{times}")
    public void timeout(String id, int times) {
        boolean committed = false;
        try {
            QuarkusTransaction.requiringNew().timeout(1).run(() -> {
                counter.plain(id);
                awaitRollback();
            });
            committed = true;
        } catch (RuntimeException e) {
            // As it should be
        }
        if (committed) {
            throw new IllegalStateException("Its transaction has no end");
        }
        try {
            counter.holding(id + "-first", () -> {
            });
        } catch (LockBackendException e) {
            // The pool may still hand out a connection that it is closing because its transaction took too long
        }
        own(id, times);
    }

    @POST
    @Path("/unguarded/{times}")
    public void unguarded(String id, int times) {
        repeat(times, () -> counter.unguarded(id));
    }

    private static void awaitRollback() {
        while (QuarkusTransaction.getStatus() == Status.STATUS_ACTIVE) {
            Thread.onSpinWait();
        }
    }

    private static void repeat(int times, Runnable body) {
        for (int i = 0; i < times; i++) {
            body.run();
        }
    }
}
