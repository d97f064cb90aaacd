package org.acme;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;

@ApplicationScoped
public class Transfers {

    @Locked(value = { "account-{from}", "account-{to}" }, waitFor = "2s")
    void transfer(String from, String to, BigDecimal amount) {
        Log.infof("%s from %s to %s", amount, from, to);
    }
}
