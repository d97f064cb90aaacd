package io.quarkiverse.lock.testkit.contract;

class LocalOwnershipContractTest extends OwnershipContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
