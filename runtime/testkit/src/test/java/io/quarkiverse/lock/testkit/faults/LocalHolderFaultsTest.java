package io.quarkiverse.lock.testkit.faults;

import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.LocalEnvironment;

class LocalHolderFaultsTest extends HolderFaults {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
