package io.quarkiverse.lock.jpa;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.testkit.contract.BadInputContract;
import io.quarkiverse.lock.testkit.contract.BodyContract;
import io.quarkiverse.lock.testkit.contract.ClockContract;
import io.quarkiverse.lock.testkit.contract.ContractEnvironment;
import io.quarkiverse.lock.testkit.contract.FencingContract;
import io.quarkiverse.lock.testkit.contract.HoldAtLeastContract;
import io.quarkiverse.lock.testkit.contract.JpaContractEnvironment;
import io.quarkiverse.lock.testkit.contract.LeftoversContract;
import io.quarkiverse.lock.testkit.contract.LossContract;
import io.quarkiverse.lock.testkit.contract.NamesContract;
import io.quarkiverse.lock.testkit.contract.OwnershipContract;
import io.quarkiverse.lock.testkit.contract.ReentrancyContract;
import io.quarkiverse.lock.testkit.contract.RenewalContract;
import io.quarkiverse.lock.testkit.contract.ShutdownContract;
import io.quarkiverse.lock.testkit.contract.TokenContract;
import io.quarkiverse.lock.testkit.contract.ValidityContract;
import io.quarkiverse.lock.testkit.contract.VirtualThreadContract;
import io.quarkiverse.lock.testkit.contract.WaitingContract;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** What every backend has to keep, kept on PostgreSQL. */
class PostgresContractTest {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(java.util.Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static ContractEnvironment newOne() {
        return new JpaContractEnvironment("postgresql", server, new Databases());
    }

    @Nested
    class BadInputTest extends BadInputContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class BodyTest extends BodyContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class ClockTest extends ClockContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class FencingTest extends FencingContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class HoldAtLeastTest extends HoldAtLeastContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class LeftoversTest extends LeftoversContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class LossTest extends LossContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class NamesTest extends NamesContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class OwnershipTest extends OwnershipContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class ReentrancyTest extends ReentrancyContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class RenewalTest extends RenewalContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class ShutdownTest extends ShutdownContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class TokenTest extends TokenContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class ValidityTest extends ValidityContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class VirtualThreadTest extends VirtualThreadContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }

    @Nested
    class WaitingTest extends WaitingContract {

        @Override
        protected ContractEnvironment newEnvironment() {
            return newOne();
        }
    }
}
