package io.quarkiverse.lock.testkit.contract;

/**
 * On which the groups of the contract run that are {@link org.junit.jupiter.api.Nested nested} in the class that implements
 * this.
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

    /** A new, empty store, or a namespace of its own on an old one. Called once for each test. */
    ContractEnvironment newEnvironment() throws Exception;
}
