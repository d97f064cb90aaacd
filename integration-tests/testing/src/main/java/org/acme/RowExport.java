package org.acme;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.logging.Log;

@ApplicationScoped
public class RowExport {

    @Inject
    LockManager locks;

    void export(List<String> rows) {
        try (LockHandle hold = locks.lock("export").acquire()) {
            for (String row : rows) {
                if (!hold.isValid()) { // <1>
                    throw new IllegalStateException("The lock was lost: another node may be exporting now");
                }
                Log.info(row);
            }
        }
    }
}
