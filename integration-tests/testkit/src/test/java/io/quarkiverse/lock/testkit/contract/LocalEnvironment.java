package io.quarkiverse.lock.testkit.contract;

import java.util.EnumSet;
import java.util.Set;

import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.spi.LockBackend;

/** Engines over one store in memory. */
public final class LocalEnvironment implements ContractEnvironment {

    private final SystemTime time = new SystemTime();
    private final LocalStore store = new LocalStore(time);

    @Override
    public String name() {
        return "local";
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(Ability.CUT, Ability.OPERATORS, Ability.QUEUE, Ability.LINE, Ability.NEWS, Ability.STORE_LEASES);
    }

    @Override
    public LockBackend backend(String owner) {
        return new LocalBackend(store, owner);
    }

    @Override
    public void close() {
        time.close();
    }
}
