package org.acme;

import static io.quarkiverse.lock.Locked.OnLost.NOTIFY;

import java.util.Iterator;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;

@ApplicationScoped
public class PageExport {

    @Inject
    CurrentLock lock;

    @Locked(value = "export", onLost = NOTIFY)
    void export(Iterator<String> pages) {
        lock.onLost(() -> Log.warn("The lock was lost: another node may be exporting now")); // <1>
        while (pages.hasNext() && lock.isValid()) { // <2>
            Log.infof("%s, written with the token %d", pages.next(), lock.fencingToken());
        }
    }
}
