package io.quarkiverse.lock.testkit.contract;

class LocalShutdownContractTest extends ShutdownContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
