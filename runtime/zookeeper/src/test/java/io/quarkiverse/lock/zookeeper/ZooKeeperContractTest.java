package io.quarkiverse.lock.zookeeper;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.contract.AfterLossContract;
import io.quarkiverse.lock.testkit.contract.BadInputContract;
import io.quarkiverse.lock.testkit.contract.BodyContract;
import io.quarkiverse.lock.testkit.contract.ClockContract;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.DeadlockContract;
import io.quarkiverse.lock.testkit.contract.DowngradeContract;
import io.quarkiverse.lock.testkit.contract.FencingContract;
import io.quarkiverse.lock.testkit.contract.JavaLockContract;
import io.quarkiverse.lock.testkit.contract.LeftoversContract;
import io.quarkiverse.lock.testkit.contract.LimitContract;
import io.quarkiverse.lock.testkit.contract.LingerContract;
import io.quarkiverse.lock.testkit.contract.ListContract;
import io.quarkiverse.lock.testkit.contract.LossContract;
import io.quarkiverse.lock.testkit.contract.NamesContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.contract.ReadWriteLockContract;
import io.quarkiverse.lock.testkit.contract.ReentrancyContract;
import io.quarkiverse.lock.testkit.contract.RenewalContract;
import io.quarkiverse.lock.testkit.contract.RevokeContract;
import io.quarkiverse.lock.testkit.contract.SeveralNamesContract;
import io.quarkiverse.lock.testkit.contract.SharedContract;
import io.quarkiverse.lock.testkit.contract.ShutdownContract;
import io.quarkiverse.lock.testkit.contract.TokenContract;
import io.quarkiverse.lock.testkit.contract.ValidityContract;
import io.quarkiverse.lock.testkit.contract.VirtualThreadContract;
import io.quarkiverse.lock.testkit.contract.WaitingContract;
import io.quarkiverse.lock.testkit.contract.ZooKeeperContractEnvironment;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;

/** The contract of every backend, on a ZooKeeper server. */
class ZooKeeperContractTest implements ContractSubject {

    private static ZooKeeperServer server;

    @BeforeAll
    static void start() {
        server = ZooKeeperServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new ZooKeeperContractEnvironment(server, ZooKeeperChildBackend::make);
    }

    @Nested
    class DeadlockTest extends DeadlockContract {
    }

    @Nested
    class AfterLossTest extends AfterLossContract {
    }

    @Nested
    class BadInputTest extends BadInputContract {
    }

    @Nested
    class BodyTest extends BodyContract {
    }

    @Nested
    class ClockTest extends ClockContract {
    }

    @Nested
    class FencingTest extends FencingContract {
    }

    @Nested
    class JavaLockTest extends JavaLockContract {
    }

    @Nested
    class LeftoversTest extends LeftoversContract {
    }

    @Nested
    class LingerTest extends LingerContract {
    }

    @Nested
    class LimitTest extends LimitContract {
    }

    @Nested
    class ListTest extends ListContract {
    }

    @Nested
    class LossTest extends LossContract {
    }

    @Nested
    class NamesTest extends NamesContract {
    }

    @Nested
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    class ReadWriteLockTest extends ReadWriteLockContract {
    }

    @Nested
    class ReentrancyTest extends ReentrancyContract {
    }

    @Nested
    class RenewalTest extends RenewalContract {
    }

    @Nested
    class SeveralNamesTest extends SeveralNamesContract {
    }

    @Nested
    class RevokeTest extends RevokeContract {
    }

    @Nested
    class DowngradeTest extends DowngradeContract {
    }

    @Nested
    class SharedTest extends SharedContract {
    }

    @Nested
    class ShutdownTest extends ShutdownContract {
    }

    @Nested
    class TokenTest extends TokenContract {
    }

    @Nested
    class ValidityTest extends ValidityContract {
    }

    @Nested
    class VirtualThreadTest extends VirtualThreadContract {
    }

    @Nested
    class WaitingTest extends WaitingContract {
    }
}
