/** Clients of locks that do all there is to do, at random, and write down what they see. */
@NullMarked
package io.quarkiverse.lock.testkit.random;

import org.jspecify.annotations.NullMarked;
