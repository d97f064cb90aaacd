package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.contract.AfterLossContract;
import io.quarkiverse.lock.testkit.contract.BadInputContract;
import io.quarkiverse.lock.testkit.contract.BodyContract;
import io.quarkiverse.lock.testkit.contract.ClockContract;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.ContractSubject;
import io.quarkiverse.lock.testkit.contract.DeadlockContract;
import io.quarkiverse.lock.testkit.contract.DowngradeContract;
import io.quarkiverse.lock.testkit.contract.FencingContract;
import io.quarkiverse.lock.testkit.contract.HoldAtLeastContract;
import io.quarkiverse.lock.testkit.contract.JavaLockContract;
import io.quarkiverse.lock.testkit.contract.JpaContractEnvironment;
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
import io.quarkiverse.lock.testkit.server.H2Database;

/** The contract of every backend, on H2. */
@FullBuild
class H2ContractTest implements ContractSubject {

    private static H2Database server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(new H2Database());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new JpaContractEnvironment("h2", server, new Databases()).repetitions(Databases.FEWER);
    }

    @Nested
    class DeadlockTest extends DeadlockContract {
    }

    @Nested
    class ListTest extends ListContract {
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
    class LingerTest extends LingerContract {
    }

    @Nested
    class HoldAtLeastTest extends HoldAtLeastContract {
    }

    @Nested
    class JavaLockTest extends JavaLockContract {
    }

    @Nested
    class SeveralNamesTest extends SeveralNamesContract {
    }

    @Nested
    class LeftoversTest extends LeftoversContract {
    }

    @Nested
    class LimitTest extends LimitContract {
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
