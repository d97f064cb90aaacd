package org.acme;

import java.util.Optional;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockQuery;
import io.quarkus.logging.Log;

@ApplicationScoped
public class OpenOrders {

    @Inject
    LockManager locks;

    void log() {
        Optional<LockQuery> query = Optional.of(LockQuery.ALL.withPrefix("order-").withPageSize(500)); // <1>
        while (query.isPresent()) {
            LockQuery.Page page = locks.list(query.get());
            page.locks().forEach(lock -> Log.infof("%s: held by %s, %d wait", lock.name(), lock.holders(), lock.waiters()));
            query = page.next(); // <2>
        }
    }
}
