package io.quarkiverse.lock.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.spi.LockBackend;
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
import io.quarkiverse.lock.testkit.faults.LinkFaults;

/**
 * Runs the contract of every backend on a quorum of three servers, except for the tests in the skip list. A plain build runs
 * only the tests that depend on the servers.
 */
class RedisQuorumContractTest implements ContractSubject {

    private static QuorumCluster cluster;

    @BeforeAll
    static void start() {
        cluster = new QuorumCluster(3).satOut(QuorumEnvironment.LONGEST);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    public ContractEnvironment newEnvironment() {
        return new QuorumEnvironment(cluster);
    }

    @Test
    void environmentDeclaresBackendFeatures() throws Exception {
        try (ContractEnvironment environment = newEnvironment(); LockBackend backend = environment.backend("me")) {
            assertThat(backend.features()).isEqualTo(environment.features());
        }
    }

    @Nested
    class AfterLossTest extends AfterLossContract {
    }

    @Nested
    @FullBuild
    class BadInputTest extends BadInputContract {
    }

    @Nested
    @FullBuild
    class BodyTest extends BodyContract {
    }

    @Nested
    class ClockTest extends ClockContract {
    }

    @Nested
    @FullBuild
    class DeadlockTest extends DeadlockContract {
    }

    @Nested
    @FullBuild
    class DowngradeTest extends DowngradeContract {
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
    @FullBuild
    class JavaLockTest extends JavaLockContract {
    }

    @Nested
    class LeftoversTest extends LeftoversContract {
    }

    @Nested
    class LinkFaultsTest extends LinkFaults {
    }

    @Nested
    class ListTest extends ListContract {
    }

    @Nested
    class LossTest extends LossContract {
    }

    @Nested
    @FullBuild
    class LimitTest extends LimitContract {
    }

    @Nested
    class NamesTest extends NamesContract {
    }

    @Nested
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    @FullBuild
    class ReadWriteLockTest extends ReadWriteLockContract {
    }

    @Nested
    @FullBuild
    class ReentrancyTest extends ReentrancyContract {
    }

    @Nested
    class RenewalTest extends RenewalContract {
    }

    @Nested
    class RevokeTest extends RevokeContract {
    }

    @Nested
    @FullBuild
    class SeveralNamesTest extends SeveralNamesContract {
    }

    @Nested
    @FullBuild
    class SharedTest extends SharedContract {
    }

    @Nested
    class ShutdownTest extends ShutdownContract {
    }

    @Nested
    class TokenTest extends TokenContract {
    }

    @Nested
    @FullBuild
    class ValidityTest extends ValidityContract {
    }

    @Nested
    @FullBuild
    class VirtualThreadTest extends VirtualThreadContract {
    }

    @Nested
    class WaitingTest extends WaitingContract {
    }
}
