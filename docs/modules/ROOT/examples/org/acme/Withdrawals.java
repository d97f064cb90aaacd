package org.acme;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;

@ApplicationScoped
public class Withdrawals {

    @Locked("account-{id}")
    @Transactional
    void withdraw(String id, BigDecimal amount) {
        Log.infof("%s from %s", amount, id);
    }
}
