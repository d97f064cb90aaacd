package io.quarkiverse.lock.testkit.faults;

import io.quarkiverse.lock.testkit.contract.ContractTest;

/** What all groups of faults share. */
public abstract class FaultSuite extends ContractTest {

    /** A separate JVM on this test's store; ends with the test. */
    protected final RemoteJvm remoteJvm(String owner) {
        return closeLater(RemoteJvm.start(environment().childBackend(), owner));
    }
}
