package io.quarkiverse.lock.testkit.contract;

class LocalWaitingContractTest extends WaitingContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
