package io.quarkiverse.lock.redis.script;

import java.util.function.Consumer;

import io.quarkiverse.lock.spi.Outcome;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * The answer to a call. Each subscription makes a new call, which must have an outcome in bounded time. It is not a Mutiny
 * emitter, because that would carry the caller's contexts along: this costs more than the call itself, and the next JVM is
 * waiting for the lock that this one gives back.
 */
public final class CallUni<T> extends AbstractUni<T> {

    private final Consumer<Outcome<T>> call;

    /** @param call what to do at the subscription, in the subscriber's thread */
    public CallUni(Consumer<Outcome<T>> call) {
        this.call = call;
    }

    @Override
    public void subscribe(UniSubscriber<? super T> subscriber) {
        var outcome = new Outcome<T>(subscriber);
        subscriber.onSubscribe(outcome);
        call.accept(outcome);
    }
}
