package io.quarkiverse.lock.testkit.contract;

class LocalFencingContractTest extends FencingContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
