package io.quarkiverse.lock;

import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Grant;

/** For a backend without an engine: nobody wants its news. The testkit's, which needs this module, is for all others. */
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
