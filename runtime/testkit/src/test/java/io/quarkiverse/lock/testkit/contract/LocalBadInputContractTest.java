package io.quarkiverse.lock.testkit.contract;

class LocalBadInputContractTest extends BadInputContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
