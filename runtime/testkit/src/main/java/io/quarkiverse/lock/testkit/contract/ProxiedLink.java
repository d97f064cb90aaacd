package io.quarkiverse.lock.testkit.contract;

import java.time.Duration;
import java.util.function.UnaryOperator;

import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/**
 * What happens on the way to a server, done by a proxy.
 *
 * @param mark by what a request for the lock of a name is known on the wire
 */
public record ProxiedLink(FaultProxy proxy, UnaryOperator<String> mark) implements Link {

    public ProxiedLink(FaultProxy proxy) {
        this(proxy, UnaryOperator.identity());
    }

    @Override
    public void cut() {
        proxy.blackhole();
    }

    @Override
    public void heal() {
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
