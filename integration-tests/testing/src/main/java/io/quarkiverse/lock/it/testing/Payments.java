package io.quarkiverse.lock.it.testing;

import java.util.concurrent.Callable;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;

/** The application for which the tests cause trouble. */
@ApplicationScoped
public class Payments {

    @Locked(value = "order-{id}", waitFor = "5s")
    public String pay(String id, Callable<String> work) throws Exception {
        return work.call();
    }

    /** Lets the application keep the lock for a while. */
    @Locked(value = "order-{id}", linger = "15s")
    public void remind(String id) {
    }

    /** Has to be done within its lease. */
    @Locked(value = "order-{id}", lease = "10s", renew = "false")
    public String refund(String id, Callable<String> work) throws Exception {
        return work.call();
    }
}
