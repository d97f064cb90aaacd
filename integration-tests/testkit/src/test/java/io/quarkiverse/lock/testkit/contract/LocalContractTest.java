package io.quarkiverse.lock.testkit.contract;

import org.junit.jupiter.api.Nested;

/** The in-JVM backend meets the contract for backends. */
class LocalContractTest implements ContractSubject {

    @Override
    public ContractEnvironment newEnvironment() {
        return new LocalEnvironment();
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
    class JavaLockTest extends JavaLockContract {
    }

    @Nested
    class ReadWriteLockTest extends ReadWriteLockContract {
    }

    @Nested
    class SeveralNamesTest extends SeveralNamesContract {
    }

    @Nested
    class LeftoversTest extends LeftoversContract {
    }

    @Nested
    class ListTest extends ListContract {
    }

    @Nested
    class LossTest extends LossContract {
    }

    @Nested
    class LimitTest extends LimitContract {
    }

    @Nested
    class NamesTest extends NamesContract {
    }

    @Nested
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    class ReentrancyTest extends ReentrancyContract {
    }

    @Nested
    class RenewalTest extends RenewalContract {
    }

    @Nested
    class RevokeTest extends RevokeContract {
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
