package io.quarkiverse.lock.testkit.contract;

class LocalClockContractTest extends ClockContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
