package io.quarkiverse.lock.redis.script;

import java.util.function.Consumer;

import io.quarkiverse.lock.spi.Outcome;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * The answer to a call that is made anew for each subscription. Not an emitter of Mutiny's: that one takes the caller's
 * contexts along, which costs more than the call, while the next JVM waits for the lock that this one gives back.
 */
public final class CallUni<T> extends AbstractUni<T> {

    private final Consumer<Outcome<T>> call;

    /** @param call has to come to an outcome in bounded time */
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
