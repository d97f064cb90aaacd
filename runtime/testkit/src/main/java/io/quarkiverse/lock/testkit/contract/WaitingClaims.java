package io.quarkiverse.lock.testkit.contract;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockBackend;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * Counts the waiting claims, for an environment whose store does not: claims that the store has told that somebody else has the
 * name, and that have not ended. Only a test can learn this, not the product.
 */
public final class WaitingClaims {

    private final Set<Claim> pending = ConcurrentHashMap.newKeySet();

    /** The given backend, with its claims counted. */
    public LockBackend in(LockBackend backend) {
        return (LockBackend) Proxy.newProxyInstance(LockBackend.class.getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, args) -> {
                    if (method.getName().equals("acquire")) {
                        return counted(backend, (Claim) args[0]);
                    }
                    try {
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    public int of(String name) {
        return (int) pending.stream().filter(claim -> claim.waits() && claim.taken() && claim.name().equals(name)).count();
    }

    private Uni<Answer> counted(LockBackend backend, Claim claim) {
        // No operator: operators drop an item, and with it a grant, when the subscriber cancels meanwhile
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super Answer> subscriber) {
                pending.add(claim);
                AbstractUni.subscribe(backend.acquire(claim), new Counted(claim, subscriber));
            }
        };
    }

    private final class Counted implements UniSubscriber<Answer> {

        private final Claim claim;
        private final UniSubscriber<? super Answer> subscriber;

        Counted(Claim claim, UniSubscriber<? super Answer> subscriber) {
            this.claim = claim;
            this.subscriber = subscriber;
        }

        @Override
        public void onSubscribe(UniSubscription subscription) {
            subscriber.onSubscribe(() -> {
                pending.remove(claim);
                subscription.cancel();
            });
        }

        @Override
        public void onItem(Answer item) {
            pending.remove(claim);
            subscriber.onItem(item);
        }

        @Override
        public void onFailure(Throwable failure) {
            pending.remove(claim);
            subscriber.onFailure(failure);
        }
    }
}
