package io.quarkiverse.lock.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

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

/** The example meets the contract for backends, except what its skip list names; a plain build runs a part of it. */
class MemcachedContractTest implements ContractSubject {

    @Override
    public ContractEnvironment newEnvironment() throws IOException {
        return MemcachedEnvironment.start();
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
    @FullBuild
    class ClockTest extends ClockContract {
    }

    @Nested
    @FullBuild
    class DowngradeTest extends DowngradeContract {
    }

    @Nested
    @FullBuild
    class FencingTest extends FencingContract {
    }

    @Nested
    @FullBuild
    class LingerTest extends LingerContract {
    }

    @Nested
    @FullBuild
    class HoldAtLeastTest extends HoldAtLeastContract {
    }

    @Nested
    @FullBuild
    class JavaLockTest extends JavaLockContract {
    }

    @Nested
    @FullBuild
    class LeftoversTest extends LeftoversContract {
    }

    @Nested
    @FullBuild
    class LinkFaultsTest extends LinkFaults {
    }

    @Nested
    @FullBuild
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
    @FullBuild
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
    @FullBuild
    class RenewalTest extends RenewalContract {
    }

    @Nested
    @FullBuild
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
