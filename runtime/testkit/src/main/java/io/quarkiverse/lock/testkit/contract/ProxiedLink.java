package io.quarkiverse.lock.testkit.contract;

import java.time.Duration;
import java.util.function.UnaryOperator;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/**
 * Network faults on the way to a server, made by a proxy.
 *
 * @param mark the text that identifies, on the wire, a request for the lock of a name
 */
public record ProxiedLink(FaultProxy proxy, UnaryOperator<String> mark) implements Link {

    private static final Duration SOON = Duration.ofSeconds(15);

    public ProxiedLink(FaultProxy proxy) {
        this(proxy, UnaryOperator.identity());
    }

    @Override
    public void cut() {
        proxy.blackhole();
    }

    @Override
    public void heal() {
        Await.until("the reply that was to be lost is lost", SOON, () -> !proxy.dropPending());
        proxy.pass();
    }

    @Override
    public void loseReplyTo(String name) {
        proxy.dropReplyTo(mark.apply(name));
    }

    @Override
    public void delayRequests(Duration delay) {
        proxy.delayRequests(delay);
    }

    @Override
    public void reset() {
        proxy.cut();
    }
}
