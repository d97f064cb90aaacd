/**
 * The faults that every backend has to survive, as tests that are written once. They complement the contract, whose tests cover
 * the faults that need only an engine and a store.
 *
 * <h2>For authors of a backend</h2>
 * Extend each group in a class of a few lines, as for the {@linkplain io.quarkiverse.lock.testkit.contract contract}:
 * {@link io.quarkiverse.lock.testkit.faults.HolderFaults}, {@link io.quarkiverse.lock.testkit.faults.LinkFaults},
 * {@link io.quarkiverse.lock.testkit.faults.StoreFaults}. Tests that the environment cannot run are skipped, and the skip
 * belongs in the same list. Then extend {@link io.quarkiverse.lock.testkit.faults.FaultNumbersContract}, and demand the numbers
 * that your tests cover.
 * <p>
 * {@code -Dlock.test.scale} sets how often a fault is repeated: 1 for as often as the fault list says, less for a quick run;
 * never less than once.
 */
@NullMarked
package io.quarkiverse.lock.testkit.faults;

import org.jspecify.annotations.NullMarked;
