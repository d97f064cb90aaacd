package io.quarkiverse.lock.testkit.faults;

import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.LocalEnvironment;

class LocalStoreFaultsTest extends StoreFaults {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
