package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.contract.AfterLossContract;
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
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.contract.RevokeContract;
import io.quarkiverse.lock.testkit.contract.SeveralNamesContract;
import io.quarkiverse.lock.testkit.contract.SharedContract;
import io.quarkiverse.lock.testkit.contract.TokenContract;
import io.quarkiverse.lock.testkit.contract.WaitingContract;
import io.quarkiverse.lock.testkit.server.H2Database;

/** What depends on how a grant is made and released, with the statements for databases that are not tested here; on H2. */
@FullBuild
class PortableContractTest implements ContractSubject {

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
        return new JpaContractEnvironment("h2", server, new Databases(Databases.OPTIONS, true))
                .repetitions(Databases.FEWER);
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
    class OwnershipTest extends OwnershipContract {
    }

    @Nested
    class TokenTest extends TokenContract {
    }

    @Nested
    class WaitingTest extends WaitingContract {
    }
}
