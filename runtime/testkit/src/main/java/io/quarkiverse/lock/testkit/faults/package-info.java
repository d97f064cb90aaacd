/**
 * The faults that every backend has to survive, as tests that are written once; beside the contract, whose tests bear the
 * numbers of those faults that need nothing but an engine and a store.
 *
 * <h2>For authors of a backend</h2>
 * Extend each group in a class of a few lines, as for the {@linkplain io.quarkiverse.lock.testkit.contract contract}:
 * {@link io.quarkiverse.lock.testkit.faults.HolderFaults}, {@link io.quarkiverse.lock.testkit.faults.LinkFaults},
 * {@link io.quarkiverse.lock.testkit.faults.StoreFaults}. What the environment cannot do is skipped, and the skip belongs into
 * the same list. Then extend {@link io.quarkiverse.lock.testkit.faults.FaultNumbersContract}, and demand the numbers that your
 * tests bear.
 * <p>
 * How often a fault is repeated is given by {@code -Dlock.test.scale}: 1 for as often as the fault list says, less for a quick
 * run; never less than once.
 */
@NullMarked
package io.quarkiverse.lock.testkit.faults;

import org.jspecify.annotations.NullMarked;
