package org.acme;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;

@ApplicationScoped
public class InTransaction {

    @Locked("account-{id}")
    @Transactional
    void withdraw(String id, BigDecimal amount) { // <1>
        Log.infof("%s from %s", amount, id);
    }

    @Locked("account-{id}")
    void deposit(String id, BigDecimal amount) { // <2>
        Log.infof("%s to %s", amount, id);
    }
}
