package io.quarkiverse.lock.testkit.contract;

class LocalRenewalContractTest extends RenewalContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
