package org.acme;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;

@ApplicationScoped
public class LockedPeer {

    @Locked("stock 7")
    public void sell(Runnable body) {
        body.run();
    }
}
