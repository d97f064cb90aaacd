package org.acme;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.logging.Log;

@ApplicationScoped
public class Accounts {

    @Inject
    LockManager locks;

    void transfer(String from, String to) {
        try (LockHandle both = locks.all("account-" + from, "account-" + to).acquire()) {
            Log.infof("%s is written with the token %d", from, both.fencingToken("account-" + from));
            Log.infof("%s is written with the token %d", to, both.fencingToken("account-" + to));
        }
    }
}
