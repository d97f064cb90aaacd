package io.quarkiverse.lock.testkit.contract;

class LocalNamesContractTest extends NamesContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
