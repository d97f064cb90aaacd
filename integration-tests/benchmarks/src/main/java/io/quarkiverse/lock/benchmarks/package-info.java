/** Measures locks on Redis, side by side with other libraries. Not part of a release. */
@org.jspecify.annotations.NullMarked
package io.quarkiverse.lock.benchmarks;
