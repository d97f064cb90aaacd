package io.quarkiverse.lock.it;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;

/** Moves amounts between accounts by reading both and writing both: only the locks keep the sum constant. */
@ApplicationScoped
public class Transfers {

    private final Counts accounts;

    Transfers(Counts accounts) {
        this.accounts = accounts;
    }

    @Locked(value = { "account-{from}", "account-{to}" }, waitFor = "10s")
    public void transfer(String from, String to, long amount) {
        move(from, to, amount);
    }

    /** Shows what is lost without the locks. */
    public void transferUnguarded(String from, String to, long amount) {
        move(from, to, amount);
    }

    private void move(String from, String to, long amount) {
        if (!from.equals(to)) {
            long left = accounts.read(from) - amount;
            long more = accounts.read(to) + amount;
            accounts.write(from, left);
            accounts.write(to, more);
        }
    }
}
