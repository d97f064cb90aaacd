package io.quarkiverse.lock.testkit.faults;

import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.LocalEnvironment;

class LocalLinkFaultsTest extends LinkFaults {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
