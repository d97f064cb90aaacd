package io.quarkiverse.lock.testkit;

import java.util.Set;

import io.quarkiverse.lock.testkit.faults.FaultNumbersContract;

/** The faults that can happen to a store in memory. */
class LocalFaultNumbersTest extends FaultNumbersContract {

    @Override
    protected Set<Integer> demanded() {
        return Set.of(1, 2, 3, 4, 5, 9, 10, 12, 14, 15, 16, 17, 18, 21, 22, 60, 61, 62, 63, 64, 65, 107, 120, 121, 122, 123,
                125, 127, 130, 180, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 374, 473, 474, 478, 527, 550);
    }

    @Override
    protected String environment() {
        return "local";
    }
}
