package io.quarkiverse.lock.testkit.faults;

import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.LocalEnvironment;

/** The faults that are possible inside one JVM. */
class LocalFaultsTest implements ContractSubject {

    @Override
    public ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }

    @Nested
    class HolderTest extends HolderFaults {
    }

    @Nested
    class LinkTest extends LinkFaults {
    }

    @Nested
    class StoreTest extends StoreFaults {
    }
}
