package io.quarkiverse.lock.testkit.contract;

/**
 * The subject of the groups of the contract that are {@link org.junit.jupiter.api.Nested nested} in the implementing class.
 *
 * <pre>{@code
 * class MyContractTest implements ContractSubject {
 *     &#64;Override
 *     public ContractEnvironment newEnvironment() {
 *         return new MyEnvironment();
 *     }
 *
 *     &#64;Nested
 *     class OwnershipTest extends OwnershipContract {
 *     }
 * }
 * }</pre>
 */
public interface ContractSubject {

    /** A new, empty store, or a fresh namespace in an existing one. Called once for each test. */
    ContractEnvironment newEnvironment() throws Exception;
}
