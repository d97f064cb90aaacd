package io.quarkiverse.lock.testkit.contract;

class LocalVirtualThreadContractTest extends VirtualThreadContract {

    @Override
    protected ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
    }
}
