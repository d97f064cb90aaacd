package io.quarkiverse.lock.it.faults;

import java.util.Set;

import io.quarkiverse.lock.testkit.faults.FaultNumbersContract;

/** The faults that need whole applications. */
class FaultNumbersTest extends FaultNumbersContract {

    @Override
    protected Set<Integer> demanded() {
        return Set.of(3, 51);
    }

    @Override
    protected String environment() {
        return "redis";
    }
}
