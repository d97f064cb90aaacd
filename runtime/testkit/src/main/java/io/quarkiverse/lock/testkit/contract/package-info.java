/**
 * The rules that every backend has to keep, as tests that are written once: an abstract class for each group of rules.
 *
 * <h2>For authors of a backend</h2>
 * <ol>
 * <li>Add {@code quarkus-lock-testkit} in scope {@code test}.</li>
 * <li>Implement {@link io.quarkiverse.lock.testkit.contract.ContractEnvironment}: a separate store for each test, and as many
 * clients of it as requested. Each further capability is an {@link io.quarkiverse.lock.testkit.contract.Ability}: the more it
 * has, the more is tested. For Redis there is {@link io.quarkiverse.lock.testkit.contract.RedisContractEnvironment}.</li>
 * <li>Implement {@link io.quarkiverse.lock.testkit.contract.ContractSubject} in one class and nest each group in it:
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
 *
 * The groups: {@link io.quarkiverse.lock.testkit.contract.OwnershipContract},
 * {@link io.quarkiverse.lock.testkit.contract.ValidityContract}, {@link io.quarkiverse.lock.testkit.contract.TokenContract},
 * {@link io.quarkiverse.lock.testkit.contract.FencingContract}, {@link io.quarkiverse.lock.testkit.contract.LossContract},
 * {@link io.quarkiverse.lock.testkit.contract.ReentrancyContract},
 * {@link io.quarkiverse.lock.testkit.contract.WaitingContract},
 * {@link io.quarkiverse.lock.testkit.contract.LeftoversContract}, {@link io.quarkiverse.lock.testkit.contract.BodyContract},
 * {@link io.quarkiverse.lock.testkit.contract.RenewalContract},
 * {@link io.quarkiverse.lock.testkit.contract.ShutdownContract}, {@link io.quarkiverse.lock.testkit.contract.ClockContract},
 * {@link io.quarkiverse.lock.testkit.contract.NamesContract}, {@link io.quarkiverse.lock.testkit.contract.BadInputContract},
 * {@link io.quarkiverse.lock.testkit.contract.SeveralNamesContract},
 * {@link io.quarkiverse.lock.testkit.contract.JavaLockContract},
 * {@link io.quarkiverse.lock.testkit.contract.VirtualThreadContract}; and, skipped as a whole where the backend lacks the
 * feature, {@link io.quarkiverse.lock.testkit.contract.SharedContract},
 * {@link io.quarkiverse.lock.testkit.contract.ReadWriteLockContract},
 * {@link io.quarkiverse.lock.testkit.contract.LimitContract}, {@link io.quarkiverse.lock.testkit.contract.DowngradeContract},
 * {@link io.quarkiverse.lock.testkit.contract.HoldAtLeastContract}, {@link io.quarkiverse.lock.testkit.contract.ListContract},
 * {@link io.quarkiverse.lock.testkit.contract.AfterLossContract} and
 * {@link io.quarkiverse.lock.testkit.contract.RevokeContract}.</li>
 * <li>List the tests that lack an ability or a feature in {@code /contract-skips/<environment's name>.txt} among the test
 * resources: a line {@code Group.method reason} each, or {@code Group.* reason} for a whole group. A class fails unless that
 * list is exactly what it has skipped.</li>
 * </ol>
 * {@code -Dlock.test.scale=1}, the default, repeats what only repetition finds as often as the fault list says; less is
 * quicker. A backend with several stores may repeat less on all but one
 * ({@link io.quarkiverse.lock.testkit.contract.ContractEnvironment#repetitions}). With
 * {@code -Dlock.test.require-virtual-threads=true} the tests fail on a JDK without virtual threads instead of being skipped. A
 * test with a {@link io.quarkiverse.lock.testkit.Fault number} ({@code fault08_...}) covers the fault with that number in this
 * project's fault list; the faults that need more than an engine and a store are in {@link io.quarkiverse.lock.testkit.faults}.
 */
@NullMarked
package io.quarkiverse.lock.testkit.contract;

import org.jspecify.annotations.NullMarked;
