package io.quarkiverse.lock.testkit.contract;

class LocalHoldAtLeastContractTest extends HoldAtLeastContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
