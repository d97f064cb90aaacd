package io.quarkiverse.lock.testkit.contract;

class LocalValidityContractTest extends ValidityContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
