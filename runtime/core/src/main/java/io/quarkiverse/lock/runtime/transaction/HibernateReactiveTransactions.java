package io.quarkiverse.lock.runtime.transaction;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

import jakarta.enterprise.inject.Any;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.hibernate.FlushMode;
import org.hibernate.reactive.mutiny.Mutiny;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.vertx.core.runtime.context.VertxContextSafetyToggle;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** The transactions of Hibernate Reactive, in all its persistence units; for applications that use it. */
@Singleton
public class HibernateReactiveTransactions implements ReactiveTransactions {

    private final InjectableInstance<Mutiny.SessionFactory> active;
    private volatile @Nullable List<Mutiny.SessionFactory> factories;
    /** Why they can only be rolled back. They do not say when they have ended. */
    private final Map<Mutiny.Transaction, LockLostException> losses = Collections.synchronizedMap(new WeakHashMap<>());

    @Inject
    public HibernateReactiveTransactions(@Any InjectableInstance<Mutiny.SessionFactory> active) {
        this.active = active;
    }

    @Override
    public @Nullable Current current() {
        List<Mutiny.Transaction> open = mayHaveSession() ? open() : List.of();
        return open.isEmpty() ? null : loss -> open.forEach(each -> {
            losses.put(each, loss);
            each.markForRollback();
        });
    }

    private List<Mutiny.Transaction> open() {
        List<Mutiny.Transaction> open = new ArrayList<>(0);
        for (Mutiny.SessionFactory factory : factories()) {
            Mutiny.Session session = factory.getCurrentSession();
            if (inTransaction(session)) {
                open.add(session.currentTransaction());
            }
            Mutiny.StatelessSession stateless = factory.getCurrentStatelessSession();
            if (stateless != null && stateless.isOpen() && stateless.currentTransaction() != null) {
                open.add(stateless.currentTransaction());
            }
        }
        return open;
    }

    /** On other contexts, even asking for a session fails. */
    private static boolean mayHaveSession() {
        Context context = Vertx.currentContext();
        return context != null && VertxContext.isDuplicatedContext(context)
                && VertxContextSafetyToggle.isExplicitlyMarkedAsSafe(context);
    }

    /** Does what the transaction itself does before it commits. A stateless session has nothing left to write. */
    @Override
    public Uni<Void> flush() {
        Uni<Void> all = Uni.createFrom().voidItem();
        if (!mayHaveSession()) {
            return all; // the body has ended elsewhere, where it has left no session
        }
        for (Mutiny.Transaction each : open()) {
            LockLostException loss = losses.get(each);
            if (loss != null) {
                return Uni.createFrom().failure(loss); // Hibernate Reactive would roll back without a failure
            }
        }
        for (Mutiny.SessionFactory factory : factories()) {
            Mutiny.Session session = factory.getCurrentSession();
            if (inTransaction(session) && !session.getFlushMode().lessThan(FlushMode.COMMIT)) {
                all = all.chain(session::flush);
            }
        }
        return all;
    }

    private static boolean inTransaction(Mutiny.@Nullable Session session) {
        return session != null && session.isOpen() && session.currentTransaction() != null;
    }

    /** Looked up only when used: a persistence unit may be inactive until it is configured. */
    private List<Mutiny.SessionFactory> factories() {
        List<Mutiny.SessionFactory> known = factories;
        if (known == null) {
            known = List.copyOf(active.listActive());
            factories = known;
        }
        return known;
    }
}
