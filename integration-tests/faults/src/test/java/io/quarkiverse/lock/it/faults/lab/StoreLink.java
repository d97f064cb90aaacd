package io.quarkiverse.lock.it.faults.lab;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/** The link of one JVM to all servers of the store: a proxy in front of each, all of which do the same. */
record StoreLink(List<FaultProxy> proxies) implements AutoCloseable {

    /** Creates a link to servers at these addresses. */
    static StoreLink to(List<String> addresses) {
        return new StoreLink(addresses.stream().map(StoreLink::proxy).toList());
    }

    private static FaultProxy proxy(String address) {
        int colon = address.lastIndexOf(':');
        return FaultProxy.to(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    void each(Consumer<FaultProxy> deed) {
        proxies.forEach(deed);
    }

    String host() {
        return proxies.get(0).host();
    }

    int port() {
        return proxies.get(0).port();
    }

    /** The addresses, separated by commas. */
    String addresses() {
        return proxies.stream().map(each -> each.host() + ":" + each.port()).collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        proxies.forEach(FaultProxy::close);
    }
}
