package io.quarkiverse.lock.testkit.contract;

class LocalReentrancyContractTest extends ReentrancyContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
