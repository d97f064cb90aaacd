package io.quarkiverse.lock.testkit.contract;

class LocalLeftoversContractTest extends LeftoversContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
