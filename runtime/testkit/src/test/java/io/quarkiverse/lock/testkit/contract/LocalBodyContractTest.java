package io.quarkiverse.lock.testkit.contract;

class LocalBodyContractTest extends BodyContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
