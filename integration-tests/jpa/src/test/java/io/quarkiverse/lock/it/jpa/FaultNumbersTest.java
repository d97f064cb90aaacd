package io.quarkiverse.lock.it.jpa;

import java.util.Set;

import io.quarkiverse.lock.testkit.faults.FaultNumbersContract;

/** The faults that need whole applications. */
class FaultNumbersTest extends FaultNumbersContract {

    @Override
    protected Set<Integer> demanded() {
        return Set.of(51, 52);
    }

    @Override
    protected String environment() {
        return "postgresql";
    }
}
