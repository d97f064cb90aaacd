package io.quarkiverse.lock.testkit.contract;

class LocalLossContractTest extends LossContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
