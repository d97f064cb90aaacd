package io.quarkiverse.lock.testkit.contract;

class LocalTokenContractTest extends TokenContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
