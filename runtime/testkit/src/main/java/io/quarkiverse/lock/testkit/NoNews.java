package io.quarkiverse.lock.testkit;

import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Grant;

/** For a backend without an engine: nobody wants its news. */
public final class NoNews implements BackendListener {

    @Override
    public void suspect(Grant grant) {
    }

    @Override
    public void lost(Grant grant, String reason) {
    }

    @Override
    public void waiters(Grant grant, boolean some) {
    }

    @Override
    public void releaseRequested(Grant grant) {
    }

    @Override
    public void recheck() {
    }
}
