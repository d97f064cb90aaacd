package org.acme;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;

@ApplicationScoped
public class Invoices {

    @Locked(value = "invoice-{id}", waitFor = "5s")
    public void send(String id, Runnable mail) {
        mail.run();
    }
}
