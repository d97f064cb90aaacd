package org.acme;

import java.util.Iterator;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;

@ApplicationScoped
public class PoliteExport {

    @Inject
    CurrentLock lock;

    @Inject
    LockManager locks;

    @Locked("export")
    void export(Iterator<String> pages) {
        while (pages.hasNext() && !lock.releaseRequested()) { // <1>
            Log.info(pages.next());
        }
    }

    void exportByHand(Runnable export, Runnable finishAfterThisPage) {
        try (LockHandle hold = locks.lock("export").acquire()) {
            hold.onReleaseRequested(finishAfterThisPage); // <2>
            export.run();
        }
    }

    boolean ask() {
        return locks.requestRelease("export"); // <3>
    }
}
