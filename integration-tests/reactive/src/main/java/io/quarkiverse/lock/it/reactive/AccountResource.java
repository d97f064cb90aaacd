package io.quarkiverse.lock.it.reactive;

import java.util.concurrent.atomic.AtomicInteger;

import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;

import org.acme.Deposits;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

import io.quarkiverse.lock.LockLostException;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Everything runs on event loops, each request on its own Vert.x context, as Hibernate Reactive requires. */
@Path("/accounts/{id}")
public class AccountResource {

    private static final AtomicInteger ENDED = new AtomicInteger();

    private final Accounts accounts;
    private final Deposits printed;
    private final Gates gates;

    AccountResource(Accounts accounts, Deposits printed, Gates gates) {
        this.accounts = accounts;
        this.printed = printed;
        this.gates = gates;
    }

    @POST
    public Uni<Long> deposit(String id, @QueryParam("amount") long amount) {
        return accounts.deposit(id, amount);
    }

    /** The other ways to deposit, by their names; the first is printed in the guide. */
    @POST
    @Path("/{kind}")
    public Uni<Long> deposit(String id, String kind, @QueryParam("amount") long amount) {
        return switch (kind) {
            case "printed" -> printed.deposit(id, amount);
            case "failing" -> accounts.depositAndFail(id, amount);
            case "waiting" -> accounts.depositThenWait(id, amount);
            case "stateless" -> accounts.depositStateless(id, amount).map(Integer::longValue);
            case "by-hand" -> accounts.depositByHand(id, amount);
            default -> throw new IllegalArgumentException(kind);
        };
    }

    @POST
    @Path("/and/{other}")
    public Uni<Long> both(String id, String other, @QueryParam("amount") long amount) {
        return accounts.depositTwice(id, other, amount);
    }

    @POST
    @Path("/in-transaction/{kind}/and/{other}")
    public Uni<Long> bothInTransaction(String id, String kind, String other, @QueryParam("amount") long amount) {
        return accounts.inTransaction(Uni.createFrom().deferred(() -> switch (kind) {
            case "stream" -> accounts.depositTwiceInStream(id, other, amount).toUni();
            case "stage" -> Uni.createFrom().completionStage(accounts.depositTwiceInStage(id, other, amount));
            default -> throw new IllegalArgumentException(kind);
        }));
    }

    @POST
    @Path("/to/{other}")
    public Uni<Long> transfer(String id, String other, @QueryParam("amount") long amount) {
        return accounts.transferThenWait(id, other, amount);
    }

    @POST
    @Path("/in-transaction/{kind}")
    public Uni<Long> inTransaction(String id, String kind, @QueryParam("amount") long amount) {
        return switch (kind) {
            case "locked" -> accounts.inTransaction(Uni.createFrom().deferred(() -> accounts.deposit(id, amount)));
            case "on-return" -> accounts
                    .inTransaction(Uni.createFrom().deferred(() -> accounts.depositAndLetGo(id, amount)));
            case "stream" -> accounts.inTransaction(Uni.createFrom().deferred(() -> accounts.balances(id).toUni()));
            case "streams" -> accounts
                    .inTransaction(Uni.createFrom().deferred(() -> accounts.balances(id, id + "-other").toUni()));
            case "stage" -> accounts.inTransaction(Uni.createFrom().completionStage(() -> accounts.balance(id)));
            case "stages" -> accounts
                    .inTransaction(Uni.createFrom().completionStage(() -> accounts.balance(id, id + "-other")));
            case "nested" -> accounts.inLockAndTransaction(id,
                    Uni.createFrom().deferred(() -> accounts.deposit(id, amount)));
            default -> throw new IllegalArgumentException(kind);
        };
    }

    /**
     * Continues in its transaction, with or without a lock, when the call for the other account has lost that account's lock.
     */
    @POST
    @Path("/recovering/{kind}/{other}")
    public Uni<Long> recovering(String id, String kind, String other, @QueryParam("amount") long amount) {
        Uni<Long> second = kind.endsWith("stage")
                ? Uni.createFrom().completionStage(() -> accounts.depositThenWaitInStage(other, amount))
                : Uni.createFrom().deferred(() -> accounts.depositThenWaitAndLetGo(other, amount));
        Uni<Long> both = Uni.createFrom().deferred(() -> Balances.add(id, amount))
                .call(() -> second.onFailure(LockLostException.class).recoverWithItem(0L));
        return kind.startsWith("locked") ? accounts.inLockAndTransaction(id, both) : accounts.inTransaction(both);
    }

    @POST
    @Path("/ending-elsewhere")
    public Uni<String> endingElsewhere(String id) {
        Context root = VertxContext.getRootContext(Vertx.currentContext());
        return accounts.endingElsewhere(id, task -> root.runOnContext(ignored -> task.run()));
    }

    /** On a Vert.x context that belongs to nobody, on which Hibernate Reactive refuses to open a session. */
    @POST
    @Path("/without-database")
    public Uni<String> withoutDatabase(String id) {
        Context root = VertxContext.getRootContext(Vertx.currentContext());
        return Uni.createFrom().emitter(emitter -> root.runOnContext(ignored -> accounts.withoutDatabase(id).subscribe()
                .with(emitter::complete, emitter::fail)));
    }

    /** Cancels after {@code turns} turns of its event loop. */
    @POST
    @Path("/cancelled")
    public Uni<Void> cancelled(String id, @QueryParam("amount") long amount, @QueryParam("turns") int turns) {
        return Uni.createFrom().emitter(emitter -> {
            Cancellable call = accounts.deposit(id, amount).subscribe().with(ignored -> ENDED.incrementAndGet(),
                    failure -> ENDED.incrementAndGet());
            after(turns, Vertx.currentContext(), () -> {
                call.cancel();
                emitter.complete(null);
            });
        });
    }

    private static void after(int turns, Context context, Runnable action) {
        if (turns == 0) {
            action.run();
        } else {
            context.runOnContext(ignored -> after(turns - 1, context, action));
        }
    }

    /** Cancels once the method has reached its gate. */
    @POST
    @Path("/{kind}/cancelled")
    public Uni<Void> cancelledAtGate(String id, String kind, @QueryParam("amount") long amount) {
        return Uni.createFrom().deferred(() -> {
            Cancellable call = deposit(id, kind, amount).subscribe().with(ignored -> ENDED.incrementAndGet(),
                    failure -> ENDED.incrementAndGet());
            return gates.reached(id).invoke(call::cancel);
        });
    }

    /** How many cancelled calls ended before they were cancelled, and how many bodies have begun. */
    @GET
    @Path("/seen")
    public String seen() {
        return ENDED.get() + " " + accounts.entered();
    }

    @DELETE
    @Path("/gate")
    public void open(String id) {
        gates.open(id);
    }

    @GET
    @Path("/gate")
    public Uni<String> reached(String id) {
        return gates.reached(id).replaceWith("reached");
    }

    @ServerExceptionMapper
    Response lost(LockLostException e) {
        return Response.status(Response.Status.CONFLICT).entity(e.getMessage()).build();
    }

    @ServerExceptionMapper
    Response failed(RuntimeException e) {
        return Response.serverError().entity(e.getMessage()).build();
    }
}
