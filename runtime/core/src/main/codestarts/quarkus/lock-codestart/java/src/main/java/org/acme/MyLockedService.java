package org.acme;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.Locked;

@ApplicationScoped
public class MyLockedService {

    @Inject
    CurrentLock lock;

    /**
     * Calls for the same order run one at a time across all nodes. Calls for other orders do not wait for them.
     *
     * @return the fencing token, which is greater than that of any earlier call for this order
     */
    @Locked("order-{order}")
    public long pay(String order) {
        return lock.fencingToken();
    }
}
