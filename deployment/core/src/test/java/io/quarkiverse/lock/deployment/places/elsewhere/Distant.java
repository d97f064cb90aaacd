package io.quarkiverse.lock.deployment.places.elsewhere;

import io.quarkiverse.lock.Locked;

/** A parent in another package than the bean. */
public class Distant {

    @Locked
    void near() {
    }

    @Locked
    protected void reachable() {
    }

    public static void callNear(Distant distant) {
        distant.near();
    }
}
